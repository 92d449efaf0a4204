import { expect, vi } from 'vitest';
import { connect } from '../../src/platform/db/client.ts';
import { Poller } from '../../src/service/operation/poller.ts';
import { enqueue } from '../../src/service/queue/enqueue.ts';
import type { TaskKind } from '../../src/service/queue/kind.ts';
import { startWorker, type WorkerOptions } from '../../src/service/queue/worker/worker.ts';
import { collectLog, type makeApp } from './app.ts';
import { atEnd } from './command.ts';

/** Returns a kind of task for tests. A failed attempt is due again immediately. */
export const kindOf = <Payload>(
  name: string,
  run: TaskKind<Payload>['run'],
): TaskKind<Payload> => ({
  name,
  timeoutMs: 60_000,
  pauseMs: () => 0,
  run,
});

/** Returns a kind of task whose attempts run until they are aborted. */
export const endless = (name: string): TaskKind =>
  kindOf(name, async ({ signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    return { kind: 'done' };
  });

/** Starts a worker on a database. The worker stops after the tests. */
export async function makeWorker(databaseUrl: string, options: Partial<WorkerOptions> = {}) {
  const { db, close } = connect(databaseUrl);
  const { log } = collectLog();
  const worker = await startWorker({
    ...{ db, poller: new Poller(db), log, kinds: [], places: 4, perLane: 4, version: '1.2.3' },
    ...options,
  });
  atEnd(async () => {
    await worker.stop(0);
    await close();
  });
  return worker;
}

type Made = Awaited<ReturnType<typeof makeApp>>;

/** A task whose payload names its kind. */
export const taskOf = (kind: string, attempts = 1) => ({
  kind,
  payload: { about: kind },
  attempts,
});

/** Adds a task, and returns its id. */
export async function addTask({ db }: Made, kind: string, attempts?: number): Promise<number> {
  return Number((await enqueue(db, [taskOf(kind, attempts)]))[0]);
}

/** Waits until the API shows this status of the task. */
export const untilStatus = ({ call }: Made, id: number, status: string) =>
  vi.waitFor(async () => expect((await call('GET', `/tasks/${id}`)).body.status).toBe(status), {
    timeout: 20_000,
  });
