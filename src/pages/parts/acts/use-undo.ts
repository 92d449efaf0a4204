import { useRef, useState } from 'hono/jsx/dom';
import { useEffect } from '../use-effect.ts';
import { changed, type Id } from './use-acts.ts';

/** The seconds in which a person can undo a press. */
export const UNDO_S = 8;
/**
 * A request that is later than this is not sent. The computer was asleep, and the person has
 * forgotten the press.
 */
const LATE_MS = 5_000;

/** A press that waits for its request. */
export interface Delayed<Act extends string> {
  act: Act;
  /** The time at which the request is sent, in milliseconds since 1970. */
  sendsAt: number;
  /** Whether the request is under way. Then nobody can undo the press any more. */
  isSent: boolean;
}

interface Sending {
  /** Sends the request. */
  send(): Promise<void>;
  /** Called instead of `send` if the request would be late. */
  onLate(): void;
}

/**
 * Delays requests that cannot be undone. The person can undo the press, or leave the page. Then
 * nothing is sent. Nothing is sent either if `shown` changes, which names the person and the list.
 */
export function useUndo<Act extends string>(shown: string) {
  const [delayed, setDelayed] = useState<ReadonlyMap<Id, Delayed<Act>>>(new Map());
  const timers = useRef(new Map<Id, ReturnType<typeof setTimeout>>());
  const show = (id: Id, press: Delayed<Act> | undefined) =>
    setDelayed((all) => changed(all, id, press));
  const undo = (id: Id) => {
    clearTimeout(timers.current?.get(id));
    show(id, undefined);
  };
  const delay = (id: Id, act: Act, { send, onLate }: Sending) => {
    undo(id);
    const sendsAt = Date.now() + UNDO_S * 1_000;
    show(id, { act, sendsAt, isSent: false });
    const timer = setTimeout(async () => {
      try {
        show(id, { act, sendsAt, isSent: true });
        if (Date.now() > sendsAt + LATE_MS) onLate();
        else await send();
      } finally {
        show(id, undefined);
      }
    }, UNDO_S * 1_000);
    timers.current?.set(id, timer);
  };
  useEffect(
    () => () => {
      for (const timer of timers.current?.values() ?? []) clearTimeout(timer);
      setDelayed(new Map());
    },
    [shown],
  );
  return { delayed, delay, undo };
}
