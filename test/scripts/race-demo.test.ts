import { expect, test } from 'vitest';
import { demo, expectRefusal, withoutProgress } from '../support/race-demo.ts';

test('the demo on its own PostgreSQL shows that naive oversells and the lock does not', async () => {
  const { ended, stdout, stderr } = demo(['--rounds', '5', '--recruiters', '8']);
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(withoutProgress(stderr())).toBe('');
  expect(stdout()).toMatch(/Recruiter \d: 200 OK/);
  expect(stdout()).toMatch(/Recruiter \d: 403 Forbidden/);
  expect(stdout()).toMatch(/naive oversold in [1-5] of 5 rounds/);
  expect(stdout()).toMatch(/row-lock never gave out more than 4 slots/);
  expect(stdout()).toMatch(/Verdict: row-lock promised the capacity, and kept the promise\./);
  expect(stdout()).not.toContain('\x1b');
});

// test/slow/scripts/race-demo.test.ts has the other options, signals, and servers that are not ours.
// test/campaigns/scripts/race-demo.test.ts has more wrong options.
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
