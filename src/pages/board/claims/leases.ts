/**
 * The lengths of a claim that a person can choose. 0 seconds means: until somebody releases the
 * claim.
 */
export const leases = [
  { seconds: 0, words: 'until I release them' },
  { seconds: 60, words: '1 minute' },
  { seconds: 15 * 60, words: '15 minutes' },
  { seconds: 60 * 60, words: '1 hour' },
  { seconds: 24 * 60 * 60, words: '1 day' },
] as const;

/** The length of a renewed claim, if the person has not chosen a length. */
export const USUAL_LEASE_S = 15 * 60;
