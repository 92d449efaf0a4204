import { useState } from 'hono/jsx/dom';
import type { OwnNews, YOURS as Yours } from '../../lab/own/messages.ts';
import { pause, pauseAfter } from '../../waiting/backoff.ts';
import { BACKOFF } from '../parts/backoff.ts';
import { useEffect } from '../parts/use-effect.ts';
import type { SyllabusEntry } from './api.ts';
import { newsOf } from './stream.ts';

/** The compiler holds this to the name in the service. */
const YOURS: typeof Yours = 'yours';
/** After so many failures in a row the page says that it hears no saves. */
const MANY_FAILURES = 2;

/**
 * Follows the saves of the student's file, if the lab shows one. A page about its strategy loads anew,
 * as the address has everything. Another page calls `onSave`. Returns whether the server is lost, so
 * the page hears no saves.
 */
export function useSaves(
  strategies: readonly SyllabusEntry[] | undefined,
  onSave: () => void,
): boolean {
  const [isLost, setLost] = useState(false);
  const own = strategies?.find(({ name }) => name === YOURS);
  const shown = own && JSON.stringify(own.missing);
  useEffect(() => {
    if (shown === undefined) return;
    const leaving = new AbortController();
    const changed = () => {
      if (/[/=]yours\b/.test(decodeURIComponent(location.search))) location.reload();
      else onSave();
    };
    void follow(shown, leaving.signal, { changed, setLost });
    return () => leaving.abort();
  }, [shown]);
  return isLost;
}

interface Hearer {
  changed(): void;
  setLost(isLost: boolean): void;
}

async function follow(shown: string, signal: AbortSignal, { changed, setLost }: Hearer) {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      for await (const { name, data } of newsOf<OwnNews>('/own', { signal })) {
        failures = 0;
        setLost(false);
        // Something may have changed while nobody listened.
        if (name === 'saved' || JSON.stringify(data.missing) !== shown) changed();
      }
    } catch {
      // The server may have stopped. A later try finds the new server.
    }
    if (signal.aborted) return;
    if (failures >= MANY_FAILURES) setLost(true);
    await pause(pauseAfter(failures, BACKOFF), signal);
  }
}
