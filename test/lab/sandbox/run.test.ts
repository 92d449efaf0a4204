import { describe, expect, test } from 'vitest';
import type { Experiment } from '../../../src/lab/sandbox/experiment.ts';
import { TOO_LONG, TOO_MUCH_DATA } from '../../../src/lab/sandbox/watch.ts';
import { DOCTORS } from '../../support/doctors.ts';
import { ENDLESS } from '../../support/endless.ts';
import { add, experiment, makeSandbox, PATIENT } from '../../support/sandbox.ts';

const run = makeSandbox();
const runQuickly = makeSandbox({ ...PATIENT, statement: 300 });

const FILL = `insert into t select g, 0, repeat('x', 1500) from generate_series(2, 1000000) g`;

test('with SERIALIZABLE, the sandbox finds no write skew', async () => {
  const found = await run(DOCTORS.fixed);
  expect(found).toMatchObject({ isComplete: true, faults: {}, counterexample: null });
  expect(found.serializationFailures).toBeGreaterThan(0);
});

test('the sandbox tells a race from a check that is false even without a race', async () => {
  const race = await run(DOCTORS.broken);
  expect(race).toMatchObject({ faults: { broken: 18 }, isNoRace: false });
  const plain = await run(experiment({ check: 'select n = 3 from t' }));
  expect(plain).toMatchObject({ faults: { broken: plain.schedules }, isNoRace: true });
});

// test/slow/lab/sandbox/run.test.ts has more experiments.
describe('the statements of a session', () => {
  test('an autocommit write is two steps, and BEGIN is one step with the next statement', async () => {
    expect((await run(experiment({}))).schedules).toBe(4);
    const begun = `begin; ${add}; commit`;
    expect((await run(experiment({ sessions: [begun, begun] }))).schedules).toBe(4);
  });

  test('if the data causes an error, the session stops and its transaction is rolled back', async () => {
    const insert = 'begin; update t set n = n + 1; insert into t values (2, 0); commit';
    const found = await run(
      experiment({ sessions: [insert, insert], check: 'select n = 2 from t where id = 1' }),
    );
    expect(found.faults).toEqual({ broken: found.schedules });
    expect(found.counterexample?.transcript).toContain('ERROR: unique violation');
    expect(found.counterexample?.endings).toContain('stopped by the error');
  });

  test('if a session ends without COMMIT, its transaction is rolled back', async () => {
    const found = await run(
      experiment({ sessions: [`begin; ${add}`, add], check: 'select n = 1 from t' }),
    );
    expect(found).toMatchObject({ isComplete: true, faults: {} });
  });
});

// test/slow/lab/sandbox/hostile.test.ts has such attempts with the usual limits.
test.each([
  [
    'too long, and checks for no signals',
    runQuickly,
    ENDLESS['searches a text'] ?? '',
    TOO_LONG.replace('2 seconds', '0.3 seconds'),
  ],
  ['until the disk is full', run, FILL, TOO_MUCH_DATA],
])('a statement that works %s is stopped', async (_, run, text, words) => {
  await expect(run(experiment({ sessions: [text, add] }))).rejects.toThrow(words);
});

describe('a mistake in the typed text is reported with the words', () => {
  test.each<[string, Partial<Experiment>]>([
    [
      'session 2, line 2: relation "nowhere" does not exist',
      { sessions: [add, `${add};\nselect * from nowhere`] },
    ],
    [
      'tables, line 1: syntax error at or near "tabel"',
      { tables: 'create table x (a int, tabel tabel tabel)' },
    ],
    ['check, line 1: The query must return one row', { check: 'select 1' }],
    ['The check is missing', { check: ' -- nothing' }],
    ['session 1 has no statement', { sessions: ['', add] }],
    ['check has 2 statements. One is allowed.', { check: 'select true; select true' }],
    ['session 1 has 13 statements. 12 are allowed.', { sessions: [`${add};`.repeat(13), add] }],
  ])('%s', async (message, change) => {
    await expect(run(experiment(change))).rejects.toThrow(message);
  });
});

test('the result shows the other columns of the check, even columns without a name', async () => {
  const check = "select n = 3, n, n + 1, 'n' from t";
  const found = await run(experiment({ check }));
  expect(found.counterexample?.summary).toBe('the check is false, n 2, 3, n');
});
