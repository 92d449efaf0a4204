import type { Attempt, AttemptOutcome, Kind } from './kind.ts';

type Failed = Extract<AttemptOutcome, { kind: 'failed' }>;

/**
 * The pause before the next attempt. Undefined if no further attempt follows, because the failure is
 * final or no attempts are left.
 */
export function pauseBeforeNext(
  attempt: Pick<Attempt, 'number' | 'attemptsLeft'>,
  failure: Pick<Failed, 'final' | 'pauseMs'>,
  kind: Pick<Kind, 'pauseMs'>,
): number | undefined {
  if (failure.final || attempt.attemptsLeft <= 0) return undefined;
  return Math.max(0, failure.pauseMs ?? kind.pauseMs(attempt));
}
