import type { Backoff } from '../../platform/waiting/backoff.ts';

/**
 * The pauses between failed attempts. The pauses are partly random. Otherwise all tabs would send
 * requests at the same moment after a restart of the service.
 */
export const BACKOFF: Backoff = { shortestMs: 250, longestMs: 5_000, jitter: 0.5 };
