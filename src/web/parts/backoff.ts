import type { Backoff } from '../../waiting/backoff.ts';

/**
 * The pauses between failed attempts. They are partly random. Otherwise all tabs would return
 * together after a restart of the service.
 */
export const BACKOFF: Backoff = { shortestMs: 250, longestMs: 5_000, jitter: 0.5 };
