import { readdirSync } from 'node:fs';
import postgres from 'postgres';
import { expect, inject, test } from 'vitest';
import { makeService } from '../support/app.ts';
import { atEnd, makeTmpDir } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { demo, expectRefusal, withoutProgress } from '../support/race-demo.ts';

test('the demo on its own PostgreSQL shows that naive oversells and the lock does not', async () => {
  const { ended, stdout, stderr } = demo(['--rounds', '5', '--recruiters', '8']);
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(withoutProgress(stderr())).toBe('');
  expect(stdout()).toMatch(/Recruiter \d: 200 OK/);
  expect(stdout()).toMatch(/Recruiter \d: 403 Forbidden/);
  expect(stdout()).toMatch(/naive oversold in [1-5] of 5 rounds/);
  expect(stdout()).toMatch(/row-lock never gave out more than 4 slots/);
  expect(stdout()).toMatch(/Verdict: the promise of the capacity was kept by row-lock\./);
  expect(stdout()).not.toContain('\x1b');
});

test.concurrent('--costs counts the transactions of a request, and the time of a round', async () => {
  const args = ['--costs', '--rounds', '3', '--recruiters', '20'];
  const { ended, stdout } = demo([...args, '--strategy', 'naive,row-lock,serializable'], {
    DATABASE_URL: inject('scratchUrl'),
  });
  expect((await ended).code).toBe(0);
  expect(stdout()).toMatch(/^strategy +ms per round +transactions per request$/m);
  const costs = [...stdout().matchAll(/^(\S+) +(\d+) +(\d\.\d\d)$/gm)];
  expect(costs.map(([, name]) => name)).toEqual(['naive', 'row-lock', 'serializable']);
  for (const [, , milliseconds] of costs) expect(Number(milliseconds)).toBeGreaterThan(0);
  const [naive, lock, serializable] = costs.map(([, , , begun]) => Number(begun));
  expect([naive, lock]).toEqual([0, 1]);
  expect(serializable).toBeGreaterThan(1);
});

test('--url races a running server, and leaves its tables as they are', async () => {
  const databaseUrl = await makeDatabase();
  const sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end());
  // A sequence also shows a row that was removed again.
  const used = () =>
    sql`SELECT schemaname, sequencename, last_value FROM pg_sequences ORDER BY 1, 2`;
  const before = await used();
  const { url } = await makeService(databaseUrl);
  const crowd = ['--recruiters', '150', '--rounds', '2', '--strategy', 'naive'];
  const { ended, stdout } = demo(['--url', url, ...crowd]);
  expect((await ended).code).toBe(0);
  expect(stdout()).toMatch(/naive/);
  expect(await used()).toEqual(before);
});

// test/slow/scripts/race-demo.test.ts has more wrong options, and more servers that are not ours.
test.concurrent.each([
  [['--rounds', '0'], /--rounds must be a whole number from 1 to 100000/],
  [['--chapter', 'queue', '--recruiters', '5'], /^A race of queue has no --recruiters\./],
  [['--url', 'localhost'], /--url must look like/],
])('%j is refused in one line with exit code 2', async (args, words) => {
  await expectRefusal(demo(args), words);
});

test.concurrent('an unreachable database is reported in one line with exit code 2', async () => {
  const DATABASE_URL = 'postgres://me:hunter2@127.0.0.1:1/jobs';
  await expectRefusal(demo([], { DATABASE_URL }), /^Cannot use PostgreSQL(?!.*hunter2)/);
});

test.concurrent.each([['SIGINT', 130, 'claims/naive', /recruiters claim one job/]] as const)(
  '%s ends the demo with exit code %i, and nothing is left behind: %s',
  async (signal, code, strategy, words) => {
    const TMPDIR = makeTmpDir();
    const left = () => readdirSync(TMPDIR).filter((name) => name.startsWith('rowlock-'));

    const options = ['--rounds', '10000', '--strategy', strategy];
    const { child, says, ended, stderr } = demo(options, { TMPDIR });
    await says(words);
    expect(left()).toHaveLength(1);
    child.kill(signal);
    expect(await ended).toEqual({ code, signal: null });
    expect(stderr()).not.toMatch(/Error| {4}at /);
    expect(left()).toEqual([]);
  },
);
