import { useState } from 'hono/jsx/dom';
import type { ExplorationNews, Question } from '../../../lab/explorations/exploration.ts';
import { useEffect } from '../../parts/use-effect.ts';
import { type News, newsOf } from '../stream.ts';

/** The latest of an exploration; `asked` until something comes. */
export type Exploring = News<ExplorationNews> | { name: 'asked' };

/** Explores while it is wanted, and tells how far it is. Undefined while it is not. */
export function useExploration(question: Question, isWanted: boolean): Exploring | undefined {
  const [latest, setLatest] = useState<{ query: string; exploring: Exploring } | undefined>(
    undefined,
  );
  const query = String(new URLSearchParams({ ...question, sessions: String(question.sessions) }));
  useEffect(() => {
    if (!isWanted) return;
    const leaving = new AbortController();
    const tell = (exploring: Exploring) => setLatest({ query, exploring });
    tell({ name: 'asked' });
    void follow(query, leaving.signal, tell);
    return () => leaving.abort();
  }, [query, isWanted]);
  // What another question came to is not shown as an answer to this one, not for a moment.
  return isWanted && latest?.query === query ? latest.exploring : undefined;
}

async function follow(query: string, signal: AbortSignal, tell: (exploring: Exploring) => void) {
  try {
    const path = `/explorations?${query}`;
    for await (const news of newsOf<ExplorationNews>(path, { signal })) tell(news);
  } catch (error) {
    if (!signal.aborted) tell({ name: 'failed', data: { detail: (error as Error).message } });
  }
}
