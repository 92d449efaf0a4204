import { useRef, useState } from 'hono/jsx/dom';
import { useEffect } from '../../parts/use-effect.ts';
import type { Id, Job } from '../jobs/jobs.ts';
import type { Result } from './acts.ts';
import type { Note } from './words.ts';

export type ActName = 'claim' | 'release' | 'renew';

/** The act that is under way on a job. */
export interface Attempt {
  act: ActName;
  /** Whether the request is being repeated, because the service was busy or silent. */
  isAgain: boolean;
}

/**
 * After this time the page shows that an act is under way. Most answers come sooner, so the page
 * does not flicker.
 */
const SLOW_MS = 150;

type ByJob<T> = ReadonlyMap<Id, T>;

/**
 * Runs one act for each job at a time, and keeps the results. There is no result before the service
 * answers.
 */
export function useActs(recruiterId: string, onResult: (job: Job, result: Result) => void) {
  const [attempts, setAttempts] = useState<ByJob<Attempt>>(new Map());
  const [notes, setNotes] = useState<ByJob<Note>>(new Map());
  const [news, setNews] = useState('');
  const running = useRef(new Set<Id>());
  // The notes were meant for the previous recruiter.
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
    // Otherwise a screen reader would not read the same words a second time.
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
