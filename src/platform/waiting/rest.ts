/**
 * The ratio of rest to work. A loop that shares a machine with requests works for a twentieth of
 * its time. A piece of work that takes longer than 50 ms gets a larger share, because no rest is
 * longer than a second.
 */
const REST_PER_WORK = 19;
const LONGEST_REST_MS = 1_000;

/**
 * Returns the rest of a loop after a piece of work that took `workMs`, in milliseconds. On an idle
 * machine the work is quick, and the rest is short. On a busy machine the work takes longer, and
 * the loop leaves more time to the requests. During a rest, work collects for the next piece.
 */
export const restAfter = (workMs: number): number =>
  Math.min(LONGEST_REST_MS, REST_PER_WORK * workMs);
