import { pause, pauseAfter } from './pause.ts';

/** Why the service did not answer what was asked. */
export class Refused extends Error {
  /** Asking again would not help. */
  readonly isFinal: boolean;
  constructor({ status, detail }: { status: number; detail: string }) {
    super(detail);
    this.isFinal = status < 500 && status !== 429;
  }
}

/**
 * Asks for what only reads, and again until it is answered. Throws what is refused for good, and
 * anything once the signal is aborted. `onFailure` is told of each attempt that failed.
 */
export async function insist<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  onFailure = () => {},
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || (error instanceof Refused && error.isFinal)) throw error;
      onFailure();
      await pause(pauseAfter(failures), signal);
    }
  }
}
