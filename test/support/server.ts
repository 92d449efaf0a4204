import { expect } from 'vitest';
import { type Command, runServer } from './command.ts';
import { makeDatabase } from './database.ts';
import { follow } from './events.ts';
import { lockOf, whileHeld, whileLocked } from './locks.ts';

/** Returns the address of a server as soon as the server listens. */
export const urlOf = async (server: Command) => (await server.says(/listens on (\S+)/))[1] ?? '';

export async function claimStatus(
  url: string,
  jobId: number,
  recruiterId: number,
): Promise<number> {
  return (await fetch(`${url}/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`)).status;
}

/** Returns the events that a server or a worker has logged. */
export const logOf = ({ stderr }: Command) =>
  stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

export const eventsOf = (program: Command): string[] => logOf(program).map(({ event }) => event);

/**
 * The events of a worker without any trouble. At its end, it drains its tasks, then its requests.
 */
export const EVENTS_OF_WORKER = [
  ...['start', 'stop', 'drain begun', 'drained', 'drain begun', 'drained', 'stopped'],
];

/** Asserts that a program prints one line on stderr, and ends with this code. */
export async function expectOneLine(server: Command, code: number, words: RegExp) {
  expect((await server.ended).code).toBe(code);
  expect(server.stdout()).toBe('');
  expect(server.stderr().trimEnd().split('\n')).toHaveLength(1);
  expect(server.stderr()).toMatch(words);
}

/**
 * Asserts that after this signal, a server finishes its running claim, and takes no new request.
 */
export async function expectDrain(databaseUrl: string, signal: NodeJS.Signals, jobId: number) {
  const server = runServer({ DATABASE_URL: databaseUrl });
  const url = await urlOf(server);
  const { running } = await whileHeld(databaseUrl, jobId, async ({ untilWaitedFor }) => {
    const running = claimStatus(url, jobId, 1);
    await untilWaitedFor();
    server.child.kill(signal);
    await server.says(/Stopping/);
    // For a while after SIGTERM, the server answers 503. After that, it accepts no connection.
    const refused = await fetch(`${url}/jobs`).then(({ status }) => status, String);
    expect(String(refused)).toMatch(/^503$|fetch failed/);
    return { running };
  });
  expect(await running).toBe(200);
  expect((await server.ended).code).toBe(0);
}

/**
 * Asserts that a program whose start waits for a locked table ends on SIGTERM without output, and
 * that a new worker can then use the same name.
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

/**
 * Stops a server with `stop` while a claim waits for its lock. Asserts that the stream of a follower
 * ends after a complete event, and before the claim. Returns what `stop` returned.
 */
export async function expectEndOfStreams<T>(databaseUrl: string, url: string, stop: () => T) {
  const following = await follow((init) => fetch(`${url}/jobs/events`, init));
  await following.isComplete();
  const { first, stopped } = await whileHeld(databaseUrl, 5, async ({ untilWaitedFor }) => {
    const claimed = claimStatus(url, 5, 1).then(() => 'the claim');
    await untilWaitedFor();
    const stopped = stop();
    const first = await Promise.race([claimed, following.ended.then(() => 'the stream')]);
    return { first, stopped };
  });
  expect(first).toBe('the stream');
  expect(await following.ended).toMatch(/event: end\ndata: \{\}\n\n(:\n\n)*$/);
  return stopped;
}
