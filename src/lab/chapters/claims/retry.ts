import type { Outcome } from '../../../claims/rules.ts';

/** The most tries of one claim. If n claims run at once, n - 1 of them may fail each time. */
const TRIES = 10;

/** Repeats a claim after a conflict. If the last try fails as well, the answer is `busy`. */
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
