import { pause } from './backoff.ts';

export interface Looks {
  /** The time between two checks. */
  everyMs: number;
  /** The last check comes when this time is over. */
  withinMs?: number;
  /** If aborted, `until` throws the reason. */
  stop?: AbortSignal;
}

/**
 * Checks the condition again and again until it holds. Returns false if it did not hold in time.
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  { everyMs, withinMs = Number.POSITIVE_INFINITY, stop }: Looks,
): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    stop?.throwIfAborted();
    if (await isSo()) return true;
    if (performance.now() >= deadline) return false;
    await pause(everyMs, stop);
  }
}
