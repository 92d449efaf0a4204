import type { Backoff } from '../../waiting/backoff.ts';

/** The tabs of a server that has stopped should not all come back at once. */
export const BACKOFF: Backoff = { shortestMs: 250, longestMs: 5_000, jitter: 0.5 };
