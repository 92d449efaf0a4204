import { useState } from 'hono/jsx/dom';
import type { ExplorationNews, Question } from '../../../lab/explorations/exploration.ts';
import { useEffect } from '../../parts/use-effect.ts';
import { type News, newsOf } from '../stream.ts';

/** The latest news of an exploration. `asked` until there is news. */
export type Exploring = News<ExplorationNews> | { name: 'asked' };

/** Explores while `isWanted` is true, and returns the latest news. Undefined while it is false. */
export function useExploration(question: Question, isWanted: boolean): Exploring | undefined {
  const [latest, setLatest] = useState<{ query: string; exploring: Exploring } | undefined>(
    undefined,
  );
  const { strategy, situation, sessions } = question;
  const asked = { strategy, sessions: String(sessions), ...(situation && { situation }) };
  const query = String(new URLSearchParams(asked));
  useEffect(() => {
    if (!isWanted) return;
    const leaving = new AbortController();
    const tell = (exploring: Exploring) => setLatest({ query, exploring });
    tell({ name: 'asked' });
    void follow(query, leaving.signal, tell);
    return () => leaving.abort();
  }, [query, isWanted]);
  // We never show news of another question, not even for a moment.
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
