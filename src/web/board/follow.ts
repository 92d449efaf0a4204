import { api } from '../parts/api.ts';
import { eventsOf, type ServerEvent } from '../parts/events.ts';
import { pause, pauseAfter } from '../parts/pause.ts';
import { seated } from '../parts/seats.ts';
import type { Id, Job } from './jobs.ts';

/** A comment comes every 15 seconds: a stream that is silent for longer is broken. */
const SILENCE_MS = 40_000;

export interface Listeners {
  onJob(job: Job): void;
  onGone(id: Id): void;
  /** Everything that was missed is made up for, and what changes is told from now on. */
  onLive(): void;
  /** The stream has ended or could not be had. */
  onLost(): void;
  /** Other tabs have all the streams: this one waits for theirs to end. */
  onCrowded(): void;
}

/** Follows these jobs until the signal is aborted, over as many streams as that takes. */
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
      // Whatever broke it: what follows is the same.
    }
    if (signal.aborted) return;
    listeners.onLost();
    await pause(pauseAfter(failures++), signal);
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

/** Hands events on; of jobs that a full state leaves out it says that they are gone. */
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
