export interface FeedLimits {
  /** Clients at once. Each keeps a socket open. */
  followers: number;
  /** The followers of one caller, where there are tokens. */
  followersOfCaller: number;
  /** The followers of one network, where there are no tokens. A proxy counts as one network. */
  followersOfNetwork: number;
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
  // A classroom of 30 browsers shares one address, and a browser opens six streams at most.
  followersOfNetwork: 200,
  pending: 1_000,
  jobs: 10_000,
  changed: 10_000,
  heartbeatMs: 15_000,
};
