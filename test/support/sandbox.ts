import { Boxes } from '../../src/lab/sandbox/box.ts';
import { type Experiment, readExperiment } from '../../src/lab/sandbox/experiment.ts';
import type { TimeLimits } from '../../src/lab/sandbox/limits.ts';
import { runExperiment } from '../../src/lab/sandbox/run.ts';
import { atEnd } from './command.ts';

/**
 * Time limits for tests that do not test the time limits. A statement that has computed for 100 ms
 * gets a lower priority than all other processes. So on a busy machine, the usual limit of two
 * seconds may end the statement too early.
 */
export const PATIENT: TimeLimits = { statement: 60_000, schedules: 60_000, run: 60_000 };

/** Returns a function that runs an experiment in a new box, by default with long time limits. */
export function makeSandbox(limits = PATIENT) {
  const boxes = new Boxes({ limits });
  atEnd(() => boxes.close());
  return async (experiment: Experiment) => runExperiment(boxes, readExperiment(experiment));
}

export const add = 'update t set n = n + 1 where id = 1';

/** Returns an experiment in which two sessions add 1 to the same row. `change` replaces parts. */
export const experiment = (change: Partial<Experiment>): Experiment => ({
  tables: 'create table t (id int primary key, n int, x text); insert into t values (1, 0)',
  sessions: [add, add],
  check: 'select n = 2, n from t',
  ...change,
});
