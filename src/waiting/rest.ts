/**
 * A loop that shares a machine with requests works for a twentieth of its time. A piece of work that
 * takes longer than 50 ms has a larger part, because no rest is longer than a second.
 */
const REST_PER_WORK = 19;
const LONGEST_REST_MS = 1_000;

/**
 * How long a loop rests after a piece of work that took this many milliseconds. On an idle machine
 * the work is quick, and the rest is short. On a busy machine the work takes longer, and the loop
 * leaves more time to the requests. Meanwhile more work comes together for the next time.
 */
export const restAfter = (workMs: number): number =>
  Math.min(LONGEST_REST_MS, REST_PER_WORK * workMs);
