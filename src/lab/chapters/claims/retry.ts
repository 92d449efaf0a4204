import type { Outcome } from '../../../claims/rules.ts';

/** In a crowd of n, n - 1 may lose each time; past this it is kinder to let the caller ask again. */
const TRIES = 10;

/** Claims anew after a conflict, a bounded number of times, and is `busy` after the last. */
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
