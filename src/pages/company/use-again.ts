import { useRef, useState } from 'hono/jsx/dom';
import type { CallOptions } from '../../client/index.ts';
import { pause } from '../../platform/waiting/backoff.ts';
import { eitherSignal } from '../../platform/waiting/either-signal.ts';
import { insist, Refused } from '../parts/insist.ts';
import { useStore } from '../parts/store.ts';
import { token } from '../parts/token.ts';
import { useEffect } from '../parts/use-effect.ts';
import { useSeen } from '../parts/use-seen.ts';

/**
 * The pause after an answer with a new value. Each answer with the same value doubles the pause.
 */
const SHORTEST_MS = 1_000;
const LONGEST_MS = 10_000;

export interface Again<T> {
  /** Undefined until the service has answered. */
  value: T | undefined;
  /** The reason why there is no newer value. Undefined if all is well. */
  trouble: string | undefined;
  /**
   * Reads the value immediately, because the person has changed something. Ignores the answer to an
   * earlier request.
   */
  refresh(): void;
  /** Reads the value again within a second, because it may have changed. */
  nudge(): void;
}

interface Read<T> {
  key: string;
  value?: T;
  trouble?: string;
}

/**
 * Reads a value again and again while the tab is visible. `key` names the value. With an empty key,
 * reads nothing.
 */
export function useAgain<T>(key: string, read: (options: CallOptions) => Promise<T>): Again<T> {
  const [{ key: readKey, value, trouble }, setRead] = useState<Read<T>>({ key });
  const [round, setRound] = useState(0);
  const nudged = useRef(() => {});
  const bearer = useStore(token);
  const isSeen = useSeen();
  useEffect(() => {
    if (!isSeen || key === '') return;
    const leaving = new AbortController();
    const onNudge = (nudge: () => void) => {
      nudged.current = nudge;
    };
    void keepReading(read, leaving.signal, {
      onNudge,
      onValue: (value) => setRead({ key, value }),
      onTrouble: (trouble) =>
        setRead((before) => (before.key === key ? { ...before, trouble } : { key, trouble })),
    });
    return () => leaving.abort();
  }, [key, isSeen, bearer, round]);
  return {
    value: readKey === key ? value : undefined,
    trouble: readKey === key ? trouble : undefined,
    refresh: () => setRound((rounds) => rounds + 1),
    nudge: () => nudged.current?.(),
  };
}

interface Listeners<T> {
  onValue(value: T): void;
  onTrouble(why: string): void;
  /** Called with a function that ends the present pause. */
  onNudge(nudge: () => void): void;
}

async function keepReading<T>(
  read: (options: CallOptions) => Promise<T>,
  signal: AbortSignal,
  { onValue, onTrouble, onNudge }: Listeners<T>,
) {
  let known: string | undefined;
  const onFailure = () => {
    // The next answer ends the trouble. So the answer counts as new, even if the value is the same.
    known = undefined;
    onTrouble('The service does not answer. Asking again…');
  };
  try {
    for (let pauseMs = SHORTEST_MS; ; ) {
      const nudging = new AbortController();
      onNudge(() => nudging.abort());
      const value = await insist(read, signal, onFailure);
      const text = JSON.stringify(value);
      pauseMs = text === known ? Math.min(LONGEST_MS, pauseMs * 2) : SHORTEST_MS;
      if (text !== known) onValue(value);
      known = text;
      await pause(SHORTEST_MS, signal);
      const either = eitherSignal(signal, nudging);
      await pause(pauseMs - SHORTEST_MS, either);
      if (nudging.signal.aborted) pauseMs = SHORTEST_MS;
    }
  } catch (error) {
    if (!signal.aborted && error instanceof Refused) onTrouble(error.message);
  }
}
