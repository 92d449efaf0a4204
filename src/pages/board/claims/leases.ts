/** How long a claim may last. 0 seconds means until the claim is released. */
export const leases = [
  { seconds: 0, words: 'until I release them' },
  { seconds: 60, words: '1 minute' },
  { seconds: 15 * 60, words: '15 minutes' },
  { seconds: 60 * 60, words: '1 hour' },
  { seconds: 24 * 60 * 60, words: '1 day' },
] as const;

/** Renewing sets this length if the person has chosen no lease. */
export const USUAL_LEASE_S = 15 * 60;

/** The remaining time, such as 14:05 or 23:59:59. */
export function timeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  const hours = Math.floor(seconds / 3_600);
  return hours > 0 ? `${hours}:${parts.join(':')}` : parts.join(':').replace(/^0(?=\d:)/, '');
}
