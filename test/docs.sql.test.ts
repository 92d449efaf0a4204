import postgres from 'postgres';
import { expect, test } from 'vitest';
import { atEnd } from './support/command.ts';
import { makeDatabase } from './support/database.ts';
import { untilWaitedFor } from './support/locks.ts';
import { blocksIn, pageOf } from './support/pages.ts';

const url = await makeDatabase();

/** The statements of README's fix. Each line is one statement with a comment. */
const [begin = '', lock = '', count = '', insert = '', commit = '', ...rest] = blocksIn('sql', [
  pageOf('README.md'),
]).flatMap(({ text }) => text.trimEnd().split('\n'));

/** Opens a session. Its process id helps to find the sessions that wait for it. */
async function openSession() {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  atEnd(() => sql.end());
  const [{ pid } = {}] = await sql`SELECT pg_backend_pid() AS pid`;
  const run = async (line: string) => (await sql.unsafe(line))[0];
  return { sql, pid, run };
}

test('the fix of README has five lines', () => {
  expect(rest).toEqual([]);
  expect(lock).toContain('FOR UPDATE');
});

test('with the fix of README, a second claim waits for the first, and then counts it', async () => {
  const [first, second, observer] = await Promise.all([
    openSession(),
    openSession(),
    openSession(),
  ]);
  for (const line of [begin, lock, count]) await first.run(line);
  await second.run(begin);
  const locked = second.run(lock);
  await untilWaitedFor(first.pid, observer.sql);
  await first.run(insert);
  await first.run(commit);
  await locked;
  expect(await second.run(count)).toEqual({ count: '1' });
  await second.run(commit);
});
