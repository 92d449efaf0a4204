import type { Outcome } from '../../../claims/rules.ts';

/** In a crowd of n, n - 1 may lose each time. After so many tries the caller had better ask again. */
const TRIES = 10;

/** Claims anew after a conflict, a bounded number of times. After the last try it is `busy`. */
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
