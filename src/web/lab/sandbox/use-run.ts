import { useRef, useState } from 'hono/jsx/dom';
import type { Experiment } from '../../../lab/sandbox/experiment.ts';
import type { SandboxNews } from '../../../lab/sandbox/sandbox.ts';
import { useEffect } from '../../parts/use-effect.ts';
import { type News, newsOf } from '../stream.ts';

/** The latest news of a run. `asked` until there is news. */
export type Running = News<SandboxNews> | { name: 'asked' };

interface Run {
  /** Undefined before the first run and after `stop`. */
  running: Running | undefined;
  start: (experiment: Experiment) => void;
  stop: () => void;
}

/** Runs one experiment at a time. Leaving the page ends the run. */
export function useRun(): Run {
  const [running, setRunning] = useState<Running | undefined>(undefined);
  const leaving = useRef<AbortController | null>(null);
  const leave = () => leaving.current?.abort();
  useEffect(() => leave, []);
  const start = (experiment: Experiment) => {
    leave();
    leaving.current = new AbortController();
    setRunning({ name: 'asked' });
    void follow(experiment, leaving.current.signal, setRunning);
  };
  const stop = () => {
    leave();
    setRunning(undefined);
  };
  return { running, start, stop };
}

async function follow(
  experiment: Experiment,
  signal: AbortSignal,
  tell: (running: Running) => void,
) {
  const init = { method: 'POST', body: JSON.stringify(experiment), signal };
  try {
    for await (const news of newsOf<SandboxNews>('/sandbox', init)) if (!signal.aborted) tell(news);
  } catch (error) {
    if (!signal.aborted) tell({ name: 'failed', data: { detail: (error as Error).message } });
  }
}
