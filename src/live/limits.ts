export interface FeedLimits {
  /** Clients at once; each keeps a socket open. */
  followers: number;
  /** Of those, of one caller, where callers are told apart. */
  followersOfCaller: number;
  /** Events that may wait for a slow client, some 300 bytes each. */
  pending: number;
  /** Jobs that the full state may hold. */
  jobs: number;
  /** Changed jobs that may wait to be read. */
  changed: number;
  heartbeatMs: number;
}

export const FEED_LIMITS: FeedLimits = {
  followers: 1_000,
  followersOfCaller: 20,
  pending: 1_000,
  jobs: 10_000,
  changed: 10_000,
  heartbeatMs: 15_000,
};
