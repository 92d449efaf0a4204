import type { Attempt } from '../../queue/kind.ts';
import type { Sent } from '../send/send.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses between the attempts of a message. The sum is a little more than three days. */
const PAUSES_MS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
];

/** How many attempts a message gets. */
export const ATTEMPTS = PAUSES_MS.length + 1;

/**
 * The size of the random part of each pause. A pause is up to 10 % shorter or longer. Otherwise
 * messages that failed together would be sent again together.
 */
const JITTER = 0.2;

/**
 * Returns the pause after a failed attempt. The pause depends on `attemptsLeft` and not on the
 * number of the attempt. An attempt that a stopping worker gives back raises the number, but must
 * not skip a pause.
 */
export function pauseAfterAttempt({ attemptsLeft }: Pick<Attempt, 'attemptsLeft'>): number {
  const pauseMs = PAUSES_MS.at(-attemptsLeft) ?? 24 * HOUR;
  return pauseMs * (1 + JITTER * (Math.random() - 0.5));
}

/** The meaning of the receiver's answer to a message. */
export type DeliveryResult =
  | { kind: 'delivered' }
  /** The receiver wants no more messages. */
  | { kind: 'gone' }
  /** `atLeastMs`: the receiver asked for a pause of at least this length. */
  | { kind: 'failed'; atLeastMs: number };

const GONE = 410;
/** With these statuses a receiver may ask for a pause. */
const MAY_ASK_FOR_PAUSE = [429, 503];

export function resultOf(sent: Sent): DeliveryResult {
  if (sent.kind === 'no-answer') return { kind: 'failed', atLeastMs: 0 };
  const { status, retryAfterMs = 0 } = sent;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === GONE) return { kind: 'gone' };
  return { kind: 'failed', atLeastMs: MAY_ASK_FOR_PAUSE.includes(status) ? retryAfterMs : 0 };
}
