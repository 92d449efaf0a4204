import { useRef, useState } from 'hono/jsx/dom';
import { useEffect } from '../use-effect.ts';
import { changed, type Id } from './use-acts.ts';

/** How many seconds a person has to take a press back. */
export const UNDO_S = 8;

/** A press that can still be taken back. */
export interface Delayed {
  act: string;
  /** The time at which the request is sent, in milliseconds since 1970. */
  sendsAt: number;
}

/**
 * Delays requests whose effect nothing can take back. Nothing is sent if the person undoes the
 * press, closes the page, or becomes somebody else (`whom`).
 */
export function useUndo(whom: string) {
  const [delayed, setDelayed] = useState<ReadonlyMap<Id, Delayed>>(new Map());
  const timers = useRef(new Map<Id, ReturnType<typeof setTimeout>>());
  const undo = (id: Id) => {
    clearTimeout(timers.current?.get(id));
    setDelayed((all) => changed(all, id, undefined));
  };
  const delay = (id: Id, act: string, send: () => void) => {
    undo(id);
    const sendsAt = Date.now() + UNDO_S * 1_000;
    setDelayed((all) => changed(all, id, { act, sendsAt }));
    const timer = setTimeout(() => {
      undo(id);
      send();
    }, UNDO_S * 1_000);
    timers.current?.set(id, timer);
  };
  useEffect(
    () => () => {
      for (const timer of timers.current?.values() ?? []) clearTimeout(timer);
      setDelayed(new Map());
    },
    [whom],
  );
  return { delayed, delay, undo };
}
