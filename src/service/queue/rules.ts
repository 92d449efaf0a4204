import type { Attempt, AttemptOutcome, TaskKind } from './kind.ts';

type Failed = Extract<AttemptOutcome, { kind: 'failed' }>;

/**
 * Returns the pause before the next attempt. Returns undefined if no attempt follows, because the
 * failure is final or no attempts are left.
 */
export function pauseBeforeNext(
  attempt: Pick<Attempt, 'number' | 'attemptsLeft'>,
  failure: Pick<Failed, 'final' | 'pauseMs'>,
  kind: Pick<TaskKind, 'pauseMs'>,
): number | undefined {
  if (failure.final || attempt.attemptsLeft <= 0) return undefined;
  return Math.max(0, failure.pauseMs ?? kind.pauseMs(attempt));
}
