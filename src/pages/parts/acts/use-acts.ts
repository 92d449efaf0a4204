import { useRef, useState } from 'hono/jsx/dom';
import { useEffect } from '../use-effect.ts';
import type { Note } from './notes.ts';

export type Id = number | string;

/** The thing that a request is about, such as a job or an endpoint. */
export interface Subject {
  id: Id;
  /** The name of the thing, for screen readers. */
  name: string;
}

/** The request that is under way about a thing. */
export interface PendingAct {
  act: string;
  /** Whether the request is being repeated, because the service was busy or silent. */
  isAgain: boolean;
}

/**
 * The page shows a request as under way after this time. Most answers come sooner, so the page does
 * not flicker.
 */
const SLOW_MS = 150;

type ByThing<T> = ReadonlyMap<Id, T>;

/**
 * Sends at most one request about each thing at a time, and keeps the results in words. A result is
 * shown only after the service has answered. When `whom` changes, the results are removed.
 */
export function useActs(whom: string) {
  const [attempts, setAttempts] = useState<ByThing<PendingAct>>(new Map());
  const [notes, setNotes] = useState<ByThing<Note>>(new Map());
  const [news, setNews] = useState('');
  const running = useRef(new Set<Id>());
  useEffect(() => setNotes(new Map()), [whom]);

  const say = ({ id, name }: Subject, note: Note) => {
    setNotes((all) => changed(all, id, note));
    setNews(`${name}: ${note.text}`);
  };
  const act = async (
    subject: Subject,
    name: string,
    run: (onWait: () => void) => Promise<Note>,
  ): Promise<void> => {
    const { id } = subject;
    if (running.current?.has(id)) return;
    running.current?.add(id);
    const show = (isAgain: boolean) =>
      setAttempts((all) => changed(all, id, { act: name, isAgain }));
    const slow = setTimeout(() => show(false), SLOW_MS);
    setNotes((all) => changed(all, id, undefined));
    // Without this empty text, a screen reader would not read the same words a second time.
    setNews('');
    const note = await run(() => show(true));
    clearTimeout(slow);
    running.current?.delete(id);
    setAttempts((all) => changed(all, id, undefined));
    say(subject, note);
  };
  return { attempts, notes, news, act, say };
}

/** Returns the map with another value. Without a value, returns the map without the id. */
export function changed<T>(all: ByThing<T>, id: Id, value: T | undefined): ByThing<T> {
  const after = new Map(all);
  if (value === undefined) after.delete(id);
  else after.set(id, value);
  return after;
}
