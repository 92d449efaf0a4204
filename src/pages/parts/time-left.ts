/** Returns the remaining time, such as 14:05 or 23:59:59. */
export function timeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  const hours = Math.floor(seconds / 3_600);
  return hours > 0 ? `${hours}:${parts.join(':')}` : parts.join(':').replace(/^0(?=\d:)/, '');
}
