import { type Backoff, pause, pauseAfter } from '../../platform/waiting/backoff.ts';
import { eitherSignal } from '../../platform/waiting/either-signal.ts';
import { isProblem, type Problem } from '../call.ts';
import { eventsOf, type ServerEvent } from '../events.ts';
import { isOffline, onNetworkChange } from '../network.ts';
import type { Sender } from '../send.ts';
import type { Locks } from './locks.ts';

/**
 * A stream that sends nothing for this long counts as broken. The service sends a comment every 15
 * seconds.
 */
const SILENCE_MS = 40_000;

/**
 * The pauses between failed attempts. The pauses are partly random. Otherwise all tabs would return
 * at the same time after a restart of the service.
 */
const BACKOFF: Backoff = { shortestMs: 250, longestMs: 5_000, jitter: 0.5 };

/**
 * Whether the followed state is up to date. `offline` means that the browser has no network.
 * `crowded` means that other streams of this browser use all connections. `refused` is final.
 */
export type FollowStatus =
  | 'connecting'
  | 'live'
  | 'reconnecting'
  | 'offline'
  | 'crowded'
  | 'refused';

export interface Listener {
  onEvent(event: ServerEvent): void;
  onStatus(status: FollowStatus, problem?: Problem): void;
}

/**
 * Reads a stream until the signal is aborted, or until the service refuses the stream for good.
 * Opens a new stream whenever a stream is lost. With `locks`, as in a browser, each stream needs a
 * seat (see `seated`).
 *
 * Opens a new stream immediately when the browser loses or finds its network. Without this rule,
 * the browser would notice only much later that an open stream is dead.
 */
export async function keepStream(
  sender: Sender,
  path: string,
  listener: Listener,
  signal: AbortSignal,
  locks: Locks | undefined,
) {
  let turn = new AbortController();
  onNetworkChange(() => turn.abort(), signal);
  for (let failures = 0; !signal.aborted; ) {
    let refused: Problem | undefined;
    turn = new AbortController();
    const either = eitherSignal(signal, turn);
    const read = async () => {
      refused = await readStream(sender, path, either, (event) => {
        listener.onEvent(event);
        if (event.name !== 'end') return;
        failures = 0;
        listener.onStatus('live');
      });
    };
    const onCrowded = () => listener.onStatus('crowded');
    try {
      await (locks ? seated(locks, sender.url, read, onCrowded, either) : read());
    } catch {
      // All errors mean the same: the stream is lost.
    }
    if (signal.aborted) return;
    if (refused) return listener.onStatus('refused', refused);
    listener.onStatus(isOffline() ? 'offline' : 'reconnecting');
    await pause(pauseAfter(failures++, BACKOFF), either);
    // After a change of the network, the pauses begin with the shortest pause again.
    if (turn.signal.aborted) failures = 0;
  }
}

/** Reads a stream to its end. Returns the problem if the service refuses the stream for good. */
async function readStream(
  sender: Sender,
  path: string,
  signal: AbortSignal,
  onEvent: (event: ServerEvent) => void,
): Promise<Problem | undefined> {
  const silence = new AbortController();
  const either = eitherSignal(signal, silence);
  const fallSilent = () => silence.abort();
  let timer = setTimeout(fallSilent, SILENCE_MS);
  try {
    const answer = await sender.send(path, { signal: either });
    if (!answer.ok || !answer.body) return finalProblem(answer);
    for await (const event of eventsOf(answer.body)) {
      clearTimeout(timer);
      timer = setTimeout(fallSilent, SILENCE_MS);
      if (event) onEvent(event);
    }
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function finalProblem(answer: Response): Promise<Problem | undefined> {
  const isFinal = answer.status < 500 && answer.status !== 429;
  const body: unknown = await answer.json();
  return isFinal && isProblem(body) ? { ...body, ok: false } : undefined;
}

/**
 * The numbers of the seats. All tabs of a browser share six connections to a service. Streams may
 * use five connections, and the sixth connection stays free for other requests.
 */
const SEATS = [1, 2, 3, 4, 5];

/**
 * Waits for a free seat, and runs the work while this tab has the seat. A seat is the right to have
 * a stream. Calls `onCrowded` if other streams have all seats. Throws if the work throws, or if the
 * signal is aborted during the wait.
 */
async function seated(
  locks: Locks,
  url: string,
  work: () => Promise<void>,
  onCrowded: () => void,
  signal: AbortSignal,
): Promise<void> {
  const seats = SEATS.map((number) => `rowlock seat ${number} ${url}`);
  for (const seat of seats) {
    const isDone = await locks.request(seat, { ifAvailable: true }, async (free) => {
      if (free) await work();
      return free !== null;
    });
    if (isDone) return;
  }
  onCrowded();
  const sitting = new AbortController();
  const waiting = eitherSignal(signal, sitting);
  const sit = async () => {
    // If two seats become free together, this tab returns the second seat at once.
    sitting.signal.throwIfAborted();
    sitting.abort();
    await work();
  };
  await Promise.any(seats.map((seat) => locks.request(seat, { signal: waiting }, sit)));
}
