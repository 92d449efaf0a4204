import type { CallOptions, Done, Problem } from '../../client/index.ts';
import { pause, pauseAfter } from '../../platform/waiting/backoff.ts';
import { BACKOFF } from './backoff.ts';

/** A refusal of the service, with the reason. */
export class Refused extends Error {
  /** Whether the service would refuse the same request again. */
  readonly isFinal: boolean;
  constructor({ status, detail }: { status: number; detail: string }) {
    super(detail);
    this.isFinal = status >= 400 && status < 500 && status !== 429;
  }
}

/** Returns the data of an answer. Throws a `Refused` if the answer is a problem. */
export function dataOf<T>(answer: Done<T> | Problem): T {
  if (!answer.ok) throw new Refused(answer);
  return answer.data;
}

/**
 * Sends a request that only reads, and repeats the request until the service answers. Throws a
 * final refusal. After the signal is aborted, throws any error. `onFailure` is called after each
 * failed attempt.
 */
export async function insist<T>(
  ask: (options: CallOptions) => Promise<T>,
  signal: AbortSignal,
  onFailure = () => {},
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await ask({ signal, onWait: onFailure });
    } catch (error) {
      if (signal.aborted || (error instanceof Refused && error.isFinal)) throw error;
      onFailure();
      await pause(pauseAfter(failures, BACKOFF), signal);
    }
  }
}
