import { pause, pauseAfter } from '../../../waiting/backoff.ts';
import { api } from '../api.ts';
import { BACKOFF } from '../backoff.ts';
import { eventsOf, type ServerEvent } from '../events.ts';
import { seated } from '../seats.ts';
import type { Id, Job } from './jobs.ts';

/** A comment comes every 15 seconds, so a stream that is silent for this long is broken. */
const SILENCE_MS = 40_000;

export interface Listeners {
  onJob(job: Job): void;
  onGone(id: Id): void;
  /** The full state has arrived. From now on the stream reports all changes. */
  onLive(): void;
  /** The stream has ended or could not be opened. */
  onLost(): void;
  /** Other tabs use all streams, so this tab waits for the end of one of them. */
  onCrowded(): void;
}

/** Follows these jobs until the signal is aborted. Opens a new stream whenever a stream is lost. */
export async function followJobs(ids: readonly Id[], listeners: Listeners, signal: AbortSignal) {
  for (let failures = 0; !signal.aborted; ) {
    try {
      const onLive = () => {
        failures = 0;
        listeners.onLive();
      };
      const follow = () => followOnce(ids, { ...listeners, onLive }, signal);
      await seated(follow, listeners.onCrowded, signal);
    } catch {
      // Every error has the same consequence: the stream is lost.
    }
    if (signal.aborted) return;
    listeners.onLost();
    await pause(pauseAfter(failures++, BACKOFF), signal);
  }
}

async function followOnce(ids: readonly Id[], listeners: Listeners, signal: AbortSignal) {
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
  const fallSilent = () => silence.abort();
  let timer = setTimeout(fallSilent, SILENCE_MS);
  const tell = fullStateTeller(ids, listeners);
  try {
    const query = { jobId: ids.map(String) };
    const answer = await api.jobs.events.$get({ query }, { init: { signal: either } });
    if (!answer.ok || !answer.body) return;
    for await (const event of eventsOf(answer.body)) {
      clearTimeout(timer);
      timer = setTimeout(fallSilent, SILENCE_MS);
      if (event) tell(event);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Passes events to the listeners. A job that is missing in the full state is reported as gone. */
function fullStateTeller(ids: readonly Id[], { onJob, onGone, onLive }: Listeners) {
  let missing = new Set(ids);
  return ({ name, data }: ServerEvent) => {
    const about = data as Job;
    missing.delete(about.id);
    if (name === 'begin') missing = new Set(ids);
    else if (name === 'job') onJob(about);
    else if (name === 'gone') onGone(about.id);
    else if (name === 'end') {
      for (const id of missing) onGone(id);
      onLive();
    }
  };
}
