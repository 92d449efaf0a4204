import type { Outcome } from '../../../service/claims/rules.ts';

/**
 * The maximum number of attempts of one claim. If n claims run at the same time, perhaps only one
 * claim succeeds in each round of attempts.
 */
const TRIES = 10;

/** Repeats a claim after a conflict. Returns `busy` if the last attempt fails too. */
export async function retryOn(
  isConflict: (error: unknown) => boolean,
  claim: () => Promise<Outcome>,
): Promise<Outcome> {
  for (let tries = 1; tries <= TRIES; tries++) {
    try {
      return await claim();
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  return { kind: 'busy' };
}
