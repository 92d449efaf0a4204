/** Returns the median and the 99th percentile. */
export function percentiles(tookMs: number[]): { p50: number; p99: number } {
  const sorted = Float64Array.from(tookMs).sort();
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
