import type { Backoff } from '../waiting/backoff.ts';

/** How long a worker holds a task without a heartbeat. */
export const LEASE_MS = 15_000;
/** A worker may miss two heartbeats before its leases end. */
export const HEARTBEAT_MS = 5_000;
/** The time between two looks of a busy worker. Other processes cannot wake the worker. */
export const POLL_BUSY_MS = 100;
/** The time between two looks of an idle worker. */
export const POLL_IDLE_MS = 1_000;
/** A worker counts as busy for this long after it found a task. */
export const BUSY_FOR_MS = 5_000;
/**
 * An attempt that takes longer than this time is slow. A slow attempt mostly waits, for example for
 * a receiver. So a slow attempt needs no place. Otherwise a few receivers that hang would hold up
 * all others.
 */
export const SLOW_MS = 1_000;
/** For each of its places, a worker runs up to this many slow attempts beside the others. */
export const SLOW_PER_PLACE = 16;
/** The most tasks of one claim. Larger claims were not faster. */
export const LARGEST_CLAIM = 500;
/** The pauses of a worker that cannot use the database. */
export const OUTAGE_BACKOFF: Backoff = { shortestMs: 100, longestMs: 2_000, jitter: 0.5 };
