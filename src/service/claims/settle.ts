import {
  databaseError,
  isConnectionLost,
  isNothingDone,
  SQLSTATE,
} from '../../platform/db/sqlstate.ts';
import { CLAIMED_JOB_EXISTS, CLAIMING_RECRUITER_EXISTS, HELD_ONCE } from '../database/schema.ts';
import type { Outcome } from './rules.ts';

/** The outcome of a claim that a constraint refuses, by the name of the constraint. */
const byConstraint: Record<string, Outcome> = {
  [HELD_ONCE]: { kind: 'duplicate' },
  [CLAIMED_JOB_EXISTS]: { kind: 'no-such-job' },
  [CLAIMING_RECRUITER_EXISTS]: { kind: 'no-such-recruiter' },
};

/** Turns the expected errors of the database into outcomes. Throws all other errors. */
export async function settle(claim: Promise<Outcome>): Promise<Outcome> {
  try {
    return await claim;
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome) return outcome;
    throw error;
  }
}

/**
 * Settles `count` claims that one transaction decides. `busy` and `unknown` become the outcome of
 * each claim. Throws all other errors: a broken constraint does not say which claim broke it.
 */
export async function settleAll<T>(count: number, claims: Promise<T[]>): Promise<(T | Outcome)[]> {
  try {
    return await claims;
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome?.kind !== 'busy' && outcome?.kind !== 'unknown') throw error;
    return Array<Outcome>(count).fill(outcome);
  }
}

/** Returns the outcome for an error of the database, or undefined if the error is unexpected. */
function outcomeOf(error: unknown): Outcome | undefined {
  const { code, constraint } = databaseError(error) ?? {};
  if (code === SQLSTATE.uniqueViolation || code === SQLSTATE.foreignKeyViolation)
    return byConstraint[constraint ?? ''];
  if (isNothingDone(error)) return { kind: 'busy' };
  // We cannot know whether the connection was lost before or after COMMIT.
  if (isConnectionLost(error)) return { kind: 'unknown' };
  return undefined;
}
