import type { Backoff } from '../waiting/backoff.ts';

/**
 * Pauses after a failed read. They are partly random, so that servers and clients that lost the
 * database together do not all return together.
 */
export const BACKOFF: Backoff = { shortestMs: 100, longestMs: 5_000, jitter: 0.5 };

export interface FeedLimits {
  /** How many clients may follow at once. Each client keeps a socket open. */
  followers: number;
  /** How many followers one caller may have. The limit applies if the server requires tokens. */
  followersOfCaller: number;
  /**
   * How many followers one network may have. The limit applies if the server requires no tokens. A
   * proxy counts as one network.
   */
  followersOfNetwork: number;
  /** How many events may wait for a slow client. An event has about 300 bytes. */
  pending: number;
  /** How many jobs the full state may have. */
  jobs: number;
  /** How many new events may be read together. After more events, followers get the full state. */
  changed: number;
  heartbeatMs: number;
}

export const FEED_LIMITS: FeedLimits = {
  followers: 1_000,
  followersOfCaller: 20,
  // A classroom of 30 browsers shares one address, and a browser opens at most six streams.
  followersOfNetwork: 200,
  pending: 1_000,
  jobs: 10_000,
  changed: 10_000,
  heartbeatMs: 15_000,
};
