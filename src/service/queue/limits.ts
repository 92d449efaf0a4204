import type { Backoff } from '../../platform/waiting/backoff.ts';

/** How long a worker holds a task after a claim or a heartbeat. */
export const LEASE_MS = 15_000;
/** The time between two heartbeats. A lease lasts three times as long. */
export const HEARTBEAT_MS = 5_000;
/**
 * How often a busy worker tries to claim tasks. The worker must try, because other processes may
 * add tasks, and they cannot wake the worker. An idle worker waits for `WorkerOptions.poller` instead.
 */
export const POLL_BUSY_MS = 100;
/** How long a worker counts as busy after a claim found a task. */
export const BUSY_FOR_MS = 5_000;
/**
 * An attempt that takes longer than this time is slow. A slow attempt mostly waits, for example for
 * the receiver of a webhook. So a slow attempt needs no worker slot. Otherwise a few hanging
 * receivers would delay all other tasks.
 */
export const SLOW_MS = 1_000;
/** The maximum number of slow attempts without a worker slot, for each slot of the worker. */
export const SLOW_PER_PLACE = 16;
/** The maximum number of tasks of one claim. Larger claims did not make a worker faster. */
export const LARGEST_CLAIM = 500;
/** The pauses of a worker between two attempts to use a database that does not work. */
export const OUTAGE_BACKOFF: Backoff = { shortestMs: 100, longestMs: 2_000, jitter: 0.5 };
