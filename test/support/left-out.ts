import type { RunnerTask, RunnerTestFile } from 'vitest';
import type { Need } from './needs.ts';

/** The number of tests that a run has left out because the machine lacks something. */
export interface LeftOut {
  tests: number;
  /** The missing programs and rights, and how many tests need each. A test may need several. */
  by: { need: Need; tests: number }[];
}

const testsIn = (task: RunnerTask): RunnerTask[] =>
  'tasks' in task ? task.tasks.flatMap(testsIn) : [task];

/** Counts the tests of these files that the machine cannot run. */
export function countLeftOut(files: RunnerTestFile[], needs: readonly Need[]): LeftOut {
  const tests = files.flatMap(testsIn);
  const missing = needs.filter(({ isThere }) => !isThere);
  const needing = ({ name }: Need) => tests.filter(({ tags }) => tags?.includes(name));
  return {
    tests: new Set(missing.flatMap(needing)).size,
    by: missing
      .map((need) => ({ need, tests: needing(need).length }))
      .filter((each) => each.tests > 0),
  };
}

/**
 * Returns a line with each missing program, its package and the number of tests left out. The line
 * also tells to install packages if this helps.
 */
export function lineOf(leftOut: LeftOut): string {
  const { tests, by } = leftOut;
  const parts = by.map(({ need: { title, packages }, tests: count }) => {
    const names = packages.length > 0 ? `${packages.join(' + ')} ` : '';
    return `${title}: ${names}${count}`;
  });
  const count = tests === 1 ? '1 test' : `${tests} tests`;
  const advice = lacksPackage(leftOut) ? ' Install the packages to run them.' : '';
  return `Left out: ${count} (${parts.join(', ')}).${advice}`;
}

/** Returns whether the installation of a package would let some of these tests run. */
export const lacksPackage = ({ by }: LeftOut): boolean =>
  by.some(({ need }) => need.packages.length > 0);
