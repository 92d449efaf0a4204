import { describe, expect, test } from 'vitest';
import type { Experiment } from '../../../../src/lab/sandbox/experiment.ts';
import { add, experiment, makeSandbox } from '../../../support/sandbox.ts';

const run = await makeSandbox();

test.each([
  [
    'works for ever',
    `select count(*) from generate_series(1, 10000) a
      where (select sum(b % a) from generate_series(1, 50000) b) < 0`,
    'A statement took more than 2 s.',
  ],
  [
    'answers too much',
    `select repeat('x', 1000) from generate_series(1, 100000)`,
    'An answer was larger',
  ],
  [
    'fills the disk',
    `insert into t select a * 10000 + b, 1, repeat('x', 1500)
      from generate_series(1, 2000) a, generate_series(1, 2000) b`,
    'wrote more data',
  ],
])('who %s is told so', async (_, text, message) => {
  await expect(run(experiment({ sessions: [text, add] }))).rejects.toThrow(message);
  await expect(run(experiment({}))).resolves.toMatchObject({ faults: {} });
});

describe('the rules for steps', () => {
  test('END, ABORT and COMMIT WORK are COMMIT and ROLLBACK', async () => {
    const sessions = [`begin work; ${add}; end transaction`, `start transaction; ${add}; abort`];
    expect((await run(experiment({ sessions, check: 'select n = 1 from t' }))).faults).toEqual({});
  });

  test('savepoints work', async () => {
    const session = `begin; savepoint a; ${add}; rollback to a; ${add}; release a; commit`;
    expect((await run(experiment({ sessions: [session, session] }))).faults).toEqual({});
  });

  test('three sessions run', async () => {
    const found = await run(
      experiment({ sessions: [add, add, add], check: 'select n = 3 from t' }),
    );
    expect(found).toMatchObject({ isComplete: true, faults: {} });
  });
});

describe('faults of the typed text are named with their place', () => {
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
