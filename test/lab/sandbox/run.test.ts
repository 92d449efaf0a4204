import { describe, expect, test } from 'vitest';
import type { Experiment } from '../../../src/lab/sandbox/experiment.ts';
import { DOCTORS } from '../../support/doctors.ts';
import { add, experiment, makeSandbox } from '../../support/sandbox.ts';

const run = await makeSandbox();

test('the sandbox finds write skew, and shows the clearest schedule', async () => {
  const found = await run(DOCTORS.broken);
  expect(found).toMatchObject({ schedules: 20, isComplete: true, faults: { broken: 18 } });
  expect(found.counterexample?.schedule.join()).toBe('1,1,2,2,2,1');
  expect(found.counterexample?.summary).toBe('the check is false, on_call 0');
  const transcript = found.counterexample?.transcript ?? '';
  expect(transcript).toContain('select count(*) from doctors where on_call');
  expect(transcript).toContain('the check is false, on_call 0: BROKEN');
});

test('SERIALIZABLE ends the write skew', async () => {
  const found = await run(DOCTORS.fixed);
  expect(found).toMatchObject({ isComplete: true, faults: {}, counterexample: null });
  expect(found.serializationFailures).toBeGreaterThan(0);
});

// test/slow/lab/sandbox/run.test.ts has more experiments.
describe('the rules for steps', () => {
  test('a lone write is two steps, and BEGIN belongs to the next statement', async () => {
    expect((await run(experiment({}))).schedules).toBe(4);
    const begun = `begin; ${add}; commit`;
    expect((await run(experiment({ sessions: [begun, begun] }))).schedules).toBe(4);
  });

  test('a session stops at an error of the data, and its transaction is rolled back', async () => {
    const insert = 'begin; update t set n = n + 1; insert into t values (2, 0); commit';
    const found = await run(
      experiment({ sessions: [insert, insert], check: 'select n = 2 from t where id = 1' }),
    );
    expect(found.faults).toEqual({ broken: found.schedules });
    expect(found.counterexample?.transcript).toContain('ERROR: unique violation');
    expect(found.counterexample?.endings).toContain('stopped by the error');
  });

  test('an open transaction is rolled back at the end', async () => {
    const found = await run(
      experiment({ sessions: [`begin; ${add}`, add], check: 'select n = 1 from t' }),
    );
    expect(found).toMatchObject({ isComplete: true, faults: {} });
  });
});

describe('faults of the typed text are named with their place', () => {
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

test('the other columns of the check are shown, also without names', async () => {
  const check = "select n = 3, n, n + 1, 'n' from t";
  const found = await run(experiment({ check }));
  expect(found.counterexample?.summary).toBe('the check is false, n 2, 3, n');
});
