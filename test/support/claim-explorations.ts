import { expect } from 'vitest';
import { type Exploration, explore, hasAny } from '../../src/explorer/explore.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import { tell } from '../../src/explorer/tell.ts';
import { type ClaimSituation, situations } from '../../src/lab/chapters/claims/situations.ts';
import { strategies } from '../../src/lab/chapters/claims/strategies/index.ts';
import type { ClaimStrategy } from '../../src/lab/chapters/claims/strategy.ts';
import { claimTrial } from '../../src/lab/chapters/claims/trial.ts';
import { knownVerdicts } from '../../src/lab/syllabus/known-verdicts.ts';
import { claimJob } from '../../src/service/claims/claim.ts';
import { situationNamed } from './claims-chapter.ts';

const [lastSlot] = situations;

/** Plays every schedule of two recruiters. */
export const exploreClaims = (
  stage: Stage,
  strategy: Pick<ClaimStrategy, 'claim' | 'timed'>,
  situation: ClaimSituation = lastSlot,
) => explore(stage, claimTrial(strategy, situation, 2));

/** Throws if the exploration has a fault. The message has the transcript and the schedule. */
export function expectNoFault(name: string, found: Exploration) {
  const [played] = Object.values(found.counterexamples);
  if (!played) return;
  const { schedule } = played;
  throw new Error(
    `${name} fails in some schedules:\n${tell(played).transcript}\n` +
      `replay: npm run replay -- ${name} ${schedule.join(',')}`,
  );
}

/**
 * Asserts that production's claim holds without its queue. This fails if the lock is missing in
 * claims/slots.ts.
 */
export async function expectLockHolds(stage: Stage, situation: string) {
  const textbook: Pick<ClaimStrategy, 'claim'> = { claim: (db, request) => claimJob(db, request) };
  expectNoFault('row-lock', await exploreClaims(stage, textbook, situationNamed(situation)));
}

const FEW_SITUATIONS = ['last-slot', 'rollback'];
const names = situations.map(({ name }) => name);

/** The situations of the fast tests, and all other situations for the slow tests. */
export const situationsByTier = {
  fast: FEW_SITUATIONS,
  slow: names.filter((name) => !FEW_SITUATIONS.includes(name)),
};

const knownOf = ({ name }: ClaimStrategy) =>
  knownVerdicts[`claims/${name}`]?.situations[lastSlot.name];

/** Returns whether few schedules are enough, for example because the strategy oversells early. */
const isQuick = (strategy: ClaimStrategy) =>
  strategy.name === 'production' ||
  strategy.promise === 'nothing' ||
  (knownOf(strategy)?.schedules ?? 0) < 20;

/** The strategies in which no time passes. The check of docs/strategies.md plays all strategies. */
const untimed = strategies.filter(({ timed }) => !timed);

export const strategiesByTier = {
  fast: untimed.filter(isQuick),
  slow: untimed.filter((each) => !isQuick(each)),
};

/** Returns the title of the test that expects this verdict. */
export const verdictOf = ({ name, promise }: ClaimStrategy) =>
  `${name} ${promise === 'capacity' ? 'never oversells' : 'is caught overselling'}`;

/**
 * Expects that two recruiters and one slot show whether the strategy keeps its promise. Plays only
 * the 40 schedules with the fewest switches. The check of docs/strategies.md plays all schedules.
 */
export async function expectVerdict(stage: Stage, strategy: ClaimStrategy) {
  const trial = claimTrial(strategy, lastSlot, 2);
  const found = await explore(stage, trial, { most: 40, endsAfter: hasAny(['oversold']) });
  expect(found.faults.oversold).toBe(strategy.promise === 'capacity' ? undefined : 1);
  for (const faults of [found.faults, knownOf(strategy)?.faults])
    expect([faults?.error, faults?.hang]).toEqual([undefined, undefined]);
}
