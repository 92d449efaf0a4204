import { claims } from '../../src/lab/chapters/claims/index.ts';
import { type ClaimSituation, situationsOf } from '../../src/lab/chapters/claims/situations.ts';
import type { ClaimStrategy } from '../../src/lab/chapters/claims/strategy.ts';
import { claimTrial } from '../../src/lab/chapters/claims/trial.ts';

export function strategyNamed(name: string): ClaimStrategy {
  const strategy = claims.strategies.find((each) => each.name === name);
  if (!strategy) throw new Error(`claims has no strategy ${name}`);
  return strategy;
}

export function situationNamed(name: string): ClaimSituation {
  const situation = situationsOf({ batched: true }).find((each) => each.name === name);
  if (!situation) throw new Error(`claims has no situation ${name}`);
  return situation;
}

/** Returns a strategy with its chapter. */
export const addressed = (name: string) => ({ chapter: claims, strategy: strategyNamed(name) });

/** Returns a trial of sessions that claim by this strategy, by default two in `last-slot`. */
export const trialOf = (name: string, situation = 'last-slot', sessions = 2) =>
  claimTrial(strategyNamed(name), situationNamed(situation), sessions);
