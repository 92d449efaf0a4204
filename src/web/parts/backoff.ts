import type { Backoff } from '../../waiting/backoff.ts';

/**
 * Pauses before trying again. They are partly random, so that the tabs of a stopped server do not
 * all return together.
 */
export const BACKOFF: Backoff = { shortestMs: 250, longestMs: 5_000, jitter: 0.5 };
