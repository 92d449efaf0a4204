import { expect } from 'vitest';
import { type Asks, pathOf } from '../../proof/bench/load/asks.ts';

/** Claims on `jobs` jobs. With `slots`, the claims end when each job has had `slots` claims. */
export const spread = (jobs: number, slots?: number): Asks => ({
  ...{ kind: 'spread', firstJob: 11, jobs },
  ...(slots && { slots }),
});

/** Asserts that four claims on each of this many jobs are of different recruiters. */
export function expectFourRecruiters(jobs: number) {
  const paths = Array.from({ length: jobs * 4 }, (_, n) => pathOf(spread(jobs, 4), n));
  expect(new Set(paths).size).toBe(jobs * 4);
  expect(new Set(paths.map((each) => each?.split('&')[0])).size).toBe(jobs);
  expect(pathOf(spread(jobs, 4), jobs * 4)).toBeUndefined();
}
