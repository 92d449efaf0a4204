import type { Backoff } from '../../platform/waiting/backoff.ts';

/**
 * The pauses after failed reads. The pauses are partly random. Otherwise all servers and clients
 * that lost the database would come back at the same moment.
 */
export const BACKOFF: Backoff = { shortestMs: 100, longestMs: 5_000, jitter: 0.5 };

export interface FeedLimits {
  /** How many clients may follow at the same time. Each client keeps a socket open. */
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
  /**
   * How many new events may be read together. If there are more events, followers get the full
   * state.
   */
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
