import { useRef, useState } from 'hono/jsx/dom';
import { useEffect } from '../parts/use-effect.ts';
import type { Result } from './acts.ts';
import type { Id, Job } from './jobs.ts';
import type { Note } from './words.ts';

export type ActName = 'claim' | 'release' | 'renew';

/** What a row says of the act that is under way on its job. */
export interface Attempt {
  act: ActName;
  /** The service was busy or silent, and is asked again. */
  isAgain: boolean;
}

/** Most answers come sooner, and nothing flickers. */
const SLOW_MS = 150;

type ByJob<T> = ReadonlyMap<Id, T>;

/** One act a job at a time, and what came of each; nothing is shown before the service says so. */
export function useActs(recruiterId: string, onResult: (job: Job, result: Result) => void) {
  const [attempts, setAttempts] = useState<ByJob<Attempt>>(new Map());
  const [notes, setNotes] = useState<ByJob<Note>>(new Map());
  const [news, setNews] = useState('');
  const running = useRef(new Set<Id>());
  // What was said to somebody else.
  useEffect(() => setNotes(new Map()), [recruiterId]);

  const say = (job: Job, note: Note) => {
    setNotes((all) => changed(all, job.id, note));
    setNews(`${job.role}: ${note.text}`);
  };
  const act = async (
    job: Job,
    name: ActName,
    run: (onWait: () => void) => Promise<Result>,
  ): Promise<void> => {
    if (running.current?.has(job.id)) return;
    running.current?.add(job.id);
    const show = (isAgain: boolean) =>
      setAttempts((all) => changed(all, job.id, { act: name, isAgain }));
    const slow = setTimeout(() => show(false), SLOW_MS);
    setNotes((all) => changed(all, job.id, undefined));
    // Otherwise the same words again would be no news to a screen reader.
    setNews('');
    const result = await run(() => show(true));
    clearTimeout(slow);
    onResult(job, result);
    running.current?.delete(job.id);
    setAttempts((all) => changed(all, job.id, undefined));
    say(job, result.note);
  };
  return { attempts, notes, news, act, say };
}

function changed<T>(all: ByJob<T>, id: Id, value: T | undefined): ByJob<T> {
  const after = new Map(all);
  if (value === undefined) after.delete(id);
  else after.set(id, value);
  return after;
}
