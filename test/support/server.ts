import { expect } from 'vitest';
import { type Command, runServer } from './command.ts';
import { whileHeld } from './locks.ts';

/** The address of a server, once the server listens. */
export const urlOf = async (server: Command) => (await server.says(/listens on (\S+)/))[1] ?? '';

export async function claimStatus(
  url: string,
  jobId: number,
  recruiterId: number,
): Promise<number> {
  return (await fetch(`${url}/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`)).status;
}

/** Asserts that a program says one line on stderr, and ends. */
export async function expectOneLine(server: Command, code: number, words: RegExp) {
  expect((await server.ended).code).toBe(code);
  expect(server.stdout()).toBe('');
  expect(server.stderr().trimEnd().split('\n')).toHaveLength(1);
  expect(server.stderr()).toMatch(words);
}

/** Asserts that a server that gets this signal ends its running claim, and takes no new request. */
export async function expectDrain(databaseUrl: string, signal: NodeJS.Signals, jobId: number) {
  const server = runServer({ DATABASE_URL: databaseUrl });
  const url = await urlOf(server);
  const { running } = await whileHeld(databaseUrl, jobId, async ({ untilWaitedFor }) => {
    const running = claimStatus(url, jobId, 1);
    await untilWaitedFor();
    server.child.kill(signal);
    await server.says(/Stopping/);
    // For a while after SIGTERM, the server answers 503. Otherwise it accepts no connection.
    const refused = await fetch(`${url}/jobs`).then(({ status }) => status, String);
    expect(String(refused)).toMatch(/^503$|fetch failed/);
    return { running };
  });
  expect(await running).toBe(200);
  expect((await server.ended).code).toBe(0);
}
