import { describe, expect, test } from 'vitest';
import type { Experiment } from '../../../../src/lab/sandbox/experiment.ts';
import { USUAL } from '../../../../src/lab/sandbox/limits.ts';
import { DOCTORS } from '../../../support/doctors.ts';
import { add, experiment, makeSandbox } from '../../../support/sandbox.ts';

const run = makeSandbox();
const runQuickly = makeSandbox(USUAL);

/** Each row fills a page, so even a slow machine reaches the limit of the disk soon. */
const SPARSE = 'create table sparse (x text) with (fillfactor = 10)';

test.each([
  [
    'works for ever',
    runQuickly,
    `select count(*) from generate_series(1, 10000) a
      where (select sum(b % a) from generate_series(1, 50000) b) < 0`,
    'A statement ran longer than 2 seconds',
  ],
  [
    'reads too much data',
    run,
    `select repeat('x', 1000) from generate_series(1, 100000)`,
    'An answer was larger',
  ],
  [
    'fills the disk',
    run,
    `insert into sparse select repeat('x', 1500) from generate_series(1, 1000000)`,
    'wrote more data',
  ],
])('a student who %s is told the reason', async (_, run, text, message) => {
  const tables = `${experiment({}).tables}; ${SPARSE}`;
  await expect(run(experiment({ tables, sessions: [text, add] }))).rejects.toThrow(message);
  await expect(run(experiment({}))).resolves.toMatchObject({ faults: {} });
});

test('the sandbox finds write skew, and shows the clearest schedule', async () => {
  const found = await run(DOCTORS.broken);
  expect(found).toMatchObject({ schedules: 20, isComplete: true, faults: { broken: 18 } });
  expect(found.counterexample?.schedule.join()).toBe('1,1,2,2,2,1');
  expect(found.counterexample?.summary).toBe('the check is false, on_call 0');
  const transcript = found.counterexample?.transcript ?? '';
  expect(transcript).toContain('select count(*) from doctors where on_call');
  expect(transcript).toContain('the check is false, on_call 0: BROKEN');
});

describe('the statements of a session', () => {
  test('END works as COMMIT, and ABORT works as ROLLBACK', async () => {
    const sessions = [`begin work; ${add}; end transaction`, `start transaction; ${add}; abort`];
    expect((await run(experiment({ sessions, check: 'select n = 1 from t' }))).faults).toEqual({});
  });

  test('a session can set a savepoint and roll back to it', async () => {
    const session = `begin; savepoint a; ${add}; rollback to a; ${add}; release a; commit`;
    expect((await run(experiment({ sessions: [session, session] }))).faults).toEqual({});
  });

  test('an experiment can have three sessions', async () => {
    const found = await run(
      experiment({ sessions: [add, add, add], check: 'select n = 3 from t' }),
    );
    expect(found).toMatchObject({ isComplete: true, faults: {} });
  });
});

describe('a mistake in the typed text is reported with the words', () => {
  test.each<[string, Partial<Experiment>]>([
    [
      'check, line 1: The query must return one row',
      { check: 'select true from generate_series(1, 2)' },
    ],
    ['check, line 1: column "m" does not exist', { check: 'select m from t' }],
    [
      'A schedule ran differently',
      { sessions: ['select n from t where random() < 0.5;'.repeat(5), add.concat(';').repeat(2)] },
    ],
  ])('%s', async (message, change) => {
    await expect(run(experiment(change))).rejects.toThrow(message);
  });
});
