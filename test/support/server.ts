import { expect } from 'vitest';
import { type Command, runServer } from './command.ts';
import { makeDatabase } from './database.ts';
import { lockOf, whileHeld, whileLocked } from './locks.ts';

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

/**
 * Asserts that a program whose start waits for a locked table ends on SIGTERM without a word, and
 * that the name of its worker is free then.
 */
export async function expectEndOfWait(
  run: (env: Record<string, string>) => Command,
  table: string,
  greeting: RegExp,
) {
  const databaseUrl = await makeDatabase();
  const env = { DATABASE_URL: databaseUrl, WORKERS: '1', WORKER_NAME: 'ada' };
  await whileLocked(databaseUrl, lockOf(table), async ({ untilWaitedFor }) => {
    const first = run(env);
    await untilWaitedFor();
    first.child.kill('SIGTERM');
    expect(await first.ended).toEqual({ code: 143, signal: null });
    expect(first.stdout() + first.stderr()).toBe('');
  });
  await run(env).says(greeting);
}
