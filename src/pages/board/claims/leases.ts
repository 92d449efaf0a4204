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

/** Returns the remaining time, such as 14:05 or 23:59:59. */
export function timeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  const hours = Math.floor(seconds / 3_600);
  return hours > 0 ? `${hours}:${parts.join(':')}` : parts.join(':').replace(/^0(?=\d:)/, '');
}
