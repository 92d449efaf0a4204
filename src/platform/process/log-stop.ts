import { type Log, stopwatch } from './log.ts';
import { stopOf } from './main.ts';

/**
 * Logs that a process stops, and the cause. Returns a function that logs the end of the stop. If
 * the process ends before the stop is complete, for example on a second signal, the log tells this
 * too.
 */
export function logStop(
  log: Log,
  program: 'server' | 'worker',
  stop: AbortSignal,
  failure: string | undefined,
): () => void {
  const took = stopwatch();
  const onExit = (code: number) =>
    log.error({ event: 'stop cut short', program, code, milliseconds: took() });
  if (failure === undefined) log.info({ event: 'stop', program, cause: stopOf(stop).cause });
  else log.error({ event: 'stop', program, cause: failure });
  // The listener must run before the listener that writes the last lines of the log.
  process.prependOnceListener('exit', onExit);
  return () => {
    process.off('exit', onExit);
    log.info({ event: 'stopped', program, milliseconds: took() });
  };
}
