import { Boxes } from '../../src/lab/sandbox/box.ts';
import { type Experiment, readExperiment } from '../../src/lab/sandbox/experiment.ts';
import { runExperiment } from '../../src/lab/sandbox/run.ts';
import { atEnd } from './command.ts';
import { makeDatabase } from './database.ts';

/** Returns a function that runs an experiment in a box of its own. */
export async function makeSandbox() {
  const boxes = new Boxes(await makeDatabase());
  atEnd(() => boxes.close());
  return async (experiment: Experiment) => runExperiment(boxes, readExperiment(experiment));
}

export const add = 'update t set n = n + 1 where id = 1';

/** Two sessions add one to the same row, except for this change. */
export const experiment = (change: Partial<Experiment>): Experiment => ({
  tables: 'create table t (id int primary key, n int, x text); insert into t values (1, 0)',
  sessions: [add, add],
  check: 'select n = 2, n from t',
  ...change,
});
