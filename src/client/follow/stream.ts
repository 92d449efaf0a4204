import { type Backoff, pause, pauseAfter } from '../../waiting/backoff.ts';
import { isProblem, type Problem } from '../call.ts';
import { eventsOf, type ServerEvent } from '../events.ts';
import type { Sender } from '../send.ts';
import type { Locks } from './locks.ts';
import { seated } from './seats.ts';

/**
 * A stream that is silent for this long is broken, because the service sends a comment every 15
 * seconds.
 */
const SILENCE_MS = 40_000;

/**
 * The pauses between failed attempts. They are partly random. Otherwise all tabs would return
 * together after a restart of the service.
 */
const BACKOFF: Backoff = { shortestMs: 250, longestMs: 5_000, jitter: 0.5 };

/**
 * Whether the followed state is up to date. `crowded` means that other streams of this browser use
 * all connections. `refused` is final.
 */
export type FollowStatus = 'connecting' | 'live' | 'reconnecting' | 'crowded' | 'refused';

export interface Listener {
  onEvent(event: ServerEvent): void;
  onStatus(status: FollowStatus, problem?: Problem): void;
}

/**
 * Reads a stream until the signal is aborted, or until the service refuses the stream for good. Opens
 * a new stream whenever a stream is lost. With `locks`, as in a browser, each stream takes a seat.
 */
export async function keepStream(
  sender: Sender,
  path: string,
  listener: Listener,
  signal: AbortSignal,
  locks: Locks | undefined,
) {
  for (let failures = 0; !signal.aborted; ) {
    let refused: Problem | undefined;
    const read = async () => {
      refused = await readStream(sender, path, signal, (event) => {
        listener.onEvent(event);
        if (event.name !== 'end') return;
        failures = 0;
        listener.onStatus('live');
      });
    };
    const onCrowded = () => listener.onStatus('crowded');
    try {
      await (locks ? seated(locks, sender.url, read, onCrowded, signal) : read());
    } catch {
      // Every error has the same consequence: the stream is lost.
    }
    if (signal.aborted) return;
    if (refused) return listener.onStatus('refused', refused);
    listener.onStatus('reconnecting');
    await pause(pauseAfter(failures++, BACKOFF), signal);
  }
}

/** Reads a stream to its end. Returns the problem if the same request would be refused again. */
async function readStream(
  sender: Sender,
  path: string,
  signal: AbortSignal,
  onEvent: (event: ServerEvent) => void,
): Promise<Problem | undefined> {
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
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
