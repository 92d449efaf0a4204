import { pause } from './backoff.ts';

export interface Looks {
  /** The time between two looks. */
  everyMs: number;
  /** The last look comes after this time. */
  withinMs?: number;
  /** If aborted, `until` throws the reason. */
  stop?: AbortSignal;
}

/** Looks again and again until the condition holds. False if the condition did not hold in time. */
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
