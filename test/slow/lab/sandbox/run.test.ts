import { afterAll, expect, test } from 'vitest';
import { Boxes } from '../../../../src/lab/sandbox/box.ts';
import { type Experiment, readExperiment } from '../../../../src/lab/sandbox/experiment.ts';
import { runExperiment } from '../../../../src/lab/sandbox/run.ts';
import { makeDatabase } from '../../../support/database.ts';

const boxes = new Boxes(await makeDatabase());
afterAll(() => boxes.close());

const run = async (experiment: Experiment) => runExperiment(boxes, readExperiment(experiment));

const add = 'update t set n = n + 1 where id = 1';
const of = (...sessions: string[]): Experiment => ({
  tables: 'create table t (id int primary key, n int, x text); insert into t values (1, 0)',
  sessions,
  check: 'select n = 2, n from t',
});

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
  await expect(run(of(text, add))).rejects.toThrow(message);
  await expect(run(of(add, add))).resolves.toMatchObject({ faults: {} });
});
