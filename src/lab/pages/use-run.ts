import { useState } from 'hono/jsx/dom';
import { useEffect } from '../../pages/parts/use-effect.ts';
import type { RunNews, ScheduleNews } from '../runs.ts';
import { type News, newsOf } from './stream.ts';

/** The run that a visitor wants, such as a race. With a body, the HTTP request is a POST. */
export interface RunRequest<Body = unknown> {
  path: string;
  body?: Body;
}

/**
 * Follows the run of a run request, and returns the state of the run. The state begins as `first`,
 * and `add` puts each piece of news into the state. Returns undefined without a run request. The
 * run ends when the run request becomes another object, or when the visitor leaves the page.
 */
export function useRun<Events extends RunNews<unknown>, Told>(
  request: RunRequest | undefined,
  first: Told,
  add: (told: Told, news: News<Events>) => Told,
): Told | undefined {
  const [run, setRun] = useState<{ request: RunRequest; told: Told } | undefined>(undefined);
  useEffect(() => {
    if (!request) return;
    const leaving = new AbortController();
    let told = first;
    void follow<Events>(request, leaving.signal, (news) => {
      told = add(told, news);
      setRun({ request, told });
    });
    return () => leaving.abort();
  }, [request]);
  if (!request) return undefined;
  // We never show the state of an earlier run request, not even for a moment.
  return run?.request === request ? run.told : first;
}

async function follow<Events extends RunNews<unknown>>(
  { path, body }: RunRequest,
  signal: AbortSignal,
  tell: (news: News<Events>) => void,
) {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  try {
    for await (const news of newsOf<Events>(path, { ...init, signal }))
      if (!signal.aborted) tell(news);
  } catch (error) {
    const failed = { name: 'failed', data: { detail: (error as Error).message } };
    if (!signal.aborted) tell(failed as News<Events>);
  }
}

/** The latest news of a run that plays schedules. `asked` means that there is no news yet. */
export type Playing<Done> = News<ScheduleNews<Done>> | { name: 'asked' };

/** Follows a run that plays schedules, and returns its latest news. */
export const usePlaying = <Done>(request: RunRequest | undefined): Playing<Done> | undefined =>
  useRun<ScheduleNews<Done>, Playing<Done>>(request, { name: 'asked' }, (_, latest) => latest);
