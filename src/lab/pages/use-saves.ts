import { useState } from 'hono/jsx/dom';
import { BACKOFF } from '../../pages/parts/backoff.ts';
import { useEffect } from '../../pages/parts/use-effect.ts';
import { pause, pauseAfter } from '../../platform/waiting/backoff.ts';
import type { OwnNews, YOURS as Yours } from '../own/messages.ts';
import type { SyllabusEntry } from './api.ts';
import { newsOf } from './stream.ts';

/** The compiler checks that the server uses the same name. */
const YOURS: typeof Yours = 'yours';
/** After this number of failures in a row, the page says that the server does not answer. */
const MANY_FAILURES = 2;

/**
 * Follows the saves of the student's own file, if the lab has such a file. After a save, a page
 * about the strategy in this file loads anew. The visitor loses nothing, because the address
 * contains everything. Any other page calls `onSave`. Returns true if the server does not answer.
 * Then the page misses saves.
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
        // The file may have changed while the page was not connected.
        if (name === 'saved' || JSON.stringify(data.missing) !== shown) changed();
      }
    } catch {
      // The server may have stopped. A later attempt finds the new server.
    }
    if (signal.aborted) return;
    if (failures >= MANY_FAILURES) setLost(true);
    await pause(pauseAfter(failures, BACKOFF), signal);
  }
}
