import { connect } from '../../src/db/client.ts';
import type { Kind } from '../../src/queue/kind.ts';
import { startWorker, type WorkerOptions } from '../../src/queue/worker/worker.ts';
import { collectLog } from './app.ts';
import { atEnd } from './command.ts';

/** A kind of task for tests. A failed attempt is tried again at once. */
export const kindOf = <Payload>(name: string, run: Kind<Payload>['run']): Kind<Payload> => ({
  name,
  timeoutMs: 60_000,
  pauseMs: () => 0,
  run,
});

/** A kind whose attempts run until they are aborted. */
export const endless = (name: string): Kind =>
  kindOf(name, async ({ signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    return { kind: 'done' };
  });

/** Starts a worker on a database. The worker stops after the tests. */
export async function makeWorker(databaseUrl: string, options: Partial<WorkerOptions> = {}) {
  const { db, close } = connect(databaseUrl);
  const { log } = collectLog();
  const worker = await startWorker({
    ...{ db, log, kinds: [], places: 4, perLane: 4, version: '1.2.3' },
    ...options,
  });
  atEnd(async () => {
    await worker.stop(0);
    await close();
  });
  return worker;
}
