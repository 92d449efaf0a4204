import postgres from 'postgres';
import { expect, test } from 'vitest';
import { placeIn } from '../../../src/explorer/package/caller.ts';
import { explore } from '../../../src/explorer/package/index.ts';
import { bank, inTransaction, messageOf, transfer } from '../../support/bank.ts';

test('a lost update breaks the rule, and the message explains it', async () => {
  const found = await explore(bank('', { name: 'lost update' }));
  expect(found).toMatchObject({ isComplete: false, schedules: 3, violation: { number: 3 } });
  const said = messageOf(() => found.assertHolds());
  expect(said).toMatch(/^lost update: expected 160 to be 100\n/);
  expect(said).toContain(
    'Schedule 3 broke the rule. The schedules after number 3 were not played.',
  );
  expect(said).toMatch(/ S1 ann +S2 bob\n/);
  expect(said).toMatch(
    /\(ann last looked at accounts at step 1, before\s+the commit of bob at step 5\)/,
  );
  expect(said).toContain('= sent (step 8)');
  expect(said).toContain('Explored at test/explorer/package/explore.test.ts:8\n');
  expect(said).toContain('Schedule: 1,2,2,2,2,1,1,1');
});

test('with FOR UPDATE, the rule holds in all schedules', async () => {
  const found = await explore(bank('for update', { name: 'row lock' }));
  expect(found).toMatchObject({ isComplete: true, violation: undefined });
  expect(found.schedules).toBeGreaterThan(2);
  found.assertHolds();
});

test('an incomplete search fails, unless it is allowed', async () => {
  const found = await explore(bank('', { name: 'two', most: { schedules: 2 } }));
  expect(messageOf(() => found.assertHolds())).toContain(
    'two: the rule held in the first 2 schedules. The others were not played.\n',
  );
  found.assertHolds({ mayBeIncomplete: true });
});

test('two sessions that lock in opposite orders end in a deadlock, which breaks the rule', async () => {
  const locks = (first: number, second: number) => (given: { url: string }) =>
    inTransaction(given.url, async (tx) => {
      await tx`update accounts set balance = balance where id = ${first}`;
      await tx`update accounts set balance = balance where id = ${second}`;
    });
  const found = await explore(
    bank('', { name: 'deadlock', sessions: { ann: locks(1, 2), bob: locks(2, 1) } }),
  );
  expect(found.violation?.rule).toBe('ann fails: deadlock detected');
});

test.each([
  [
    'one session',
    { sessions: { ann: transfer('') } },
    'Two or three sessions can be explored, and not 1.',
  ],
  [
    'a session that connects elsewhere',
    { sessions: { ann: transfer(''), bob: () => 'elsewhere' } },
    'bob has sent no statement to the address that it got.',
  ],
  [
    'a missing driver',
    { sessions: { ann: transfer(''), bob: () => import('no-such-driver' as string) } },
    'bob fails even when it runs alone: ',
  ],
  [
    'wrong SQL',
    {
      sessions: {
        ann: transfer(''),
        bob: ({ url }: { url: string }) => inTransaction(url, (tx) => tx`select nonsense`),
      },
    },
    'bob fails even when it runs alone: column "nonsense" does not exist',
  ],
  [
    'a session that fails alone, though it may fail',
    { sessions: { ann: transfer(''), bob: () => Promise.reject(new Error('no')) }, mayFail: true },
    'bob fails even when it runs alone: no. It has sent no statement to the address that it got.',
  ],
  [
    'a connection that stays open',
    {
      sessions: {
        ann: transfer(''),
        bob: async ({ url }: { url: string }) => postgres(url, { max: 1 })`select 1`,
      },
    },
    'bob leaves a connection open when it ends.',
  ],
  ['an unknown option', { mayfail: true }, 'There is no option mayfail.'],
  ['an unknown limit', { most: { schedule: 3 } }, 'There is no option most.schedule.'],
  ['no lane', { lanes: 0 }, '`lanes` is a whole number from 1 to 16.'],
  ['no address', { database: 'localhost:5432' }, 'The address of the database must be like'],
  [
    'a command in parts',
    { sessions: { ann: { command: ['a', 'b'] }, bob: { command: 'b' } } },
    'The session ann must',
  ],
  ['a rule that returns 0', { holds: () => 0 }, 'holds returned 0.'],
  ['no kind of session', { sessions: { ann: {} as never, bob: transfer('') } }, 'The session ann'],
])('%s is refused in one line', async (name, others, why) => {
  await expect(explore(bank('', { name, ...(others as object) }))).rejects.toThrow(why);
});

test('an aborted signal ends the exploration in the middle of a step', async () => {
  const stop = new AbortController();
  const sessions = {
    ann: transfer(''),
    bob: ({ url }: { url: string }) =>
      inTransaction(url, async (tx) => {
        await tx`update accounts set balance = balance where id = 1`;
        stop.abort(new Error('enough'));
        await tx`select pg_sleep(60)`;
      }),
  };
  const order = bank('', { name: 'abort', sessions, signal: stop.signal });
  await expect(explore(order)).rejects.toThrow('enough');
});

test.each([
  ['at test (file:///home/ann/bank.test.ts:12:3)', '/home/ann/bank.test.ts', 12],
  ['at async /home/ann/app/(shop)/cart.test.ts:7:1', '/home/ann/app/(shop)/cart.test.ts', 7],
  ['at new Bank (/home/ann b/bank:1.ts:9:30)', '/home/ann b/bank:1.ts', 9],
])('the place of the frame "%s" is found', (frame, file, line) => {
  expect(placeIn(frame)).toEqual({ file, line });
});

test('a frame of Node itself is no place', () => {
  expect(placeIn('at process.processTicks (node:internal/process/task_queues:95:5)')).toBe(
    undefined,
  );
});

test('a wrong setUp gives the error of PostgreSQL', async () => {
  const wrong = bank('', { name: 'wrong', setUp: (db) => db.query('create tabel accounts ()') });
  await expect(explore(wrong)).rejects.toThrow('syntax error at or near "tabel"');
});
