import { connect } from '../db/client.ts';
import type { AuthSettings } from '../http/auth/settings.ts';
import { createMetrics } from '../operation/metrics.ts';
import { type Listening, listen } from './listen.ts';
import { startTasks, type Tasks, type TasksOptions } from './tasks.ts';
import { createWorkerApp } from './worker-app.ts';

/** Scrapers and probes send a request every few seconds. Running requests end long before this. */
const DRAIN_MS = 2_000;

const CONNECTIONS_ASIDE = 2;

export interface WorkerServiceOptions extends Omit<TasksOptions, 'metrics'> {
  host: string;
  /** 0 means any free port. */
  port: number;
  auth: AuthSettings;
}

export interface WorkerService extends Pick<Listening, 'url'>, Pick<Tasks, 'worker' | 'failed'> {
  /** Stops the worker, and then closes the port. `/readyz` answers 503 in the meantime. */
  stop(): Promise<void>;
}

/**
 * Starts a worker alone, with its health and metrics on a port. Throws a `PlainError` if the service
 * cannot listen, or if a living worker has the name.
 */
export async function startWorkerService(options: WorkerServiceOptions): Promise<WorkerService> {
  const { databaseUrl, pooler, host, port, auth, log } = options;
  const metrics = createMetrics();
  let draining = false;
  let tasks: Tasks | undefined;
  // Health checks and metrics have connections of their own, so they do not wait for the worker.
  const probe = connect(databaseUrl, { pooler, connections: CONNECTIONS_ASIDE });
  const app = createWorkerApp({
    db: probe.db,
    auth,
    log,
    metrics,
    isDraining: () => draining,
    isAbleToRenew: () => tasks?.isAbleToRenew() ?? false,
  });
  const listening = await listen(app, host, port, {}, 'WORKER_PORT');
  const close = () => Promise.all([listening.drain(DRAIN_MS), probe.close()]);
  try {
    tasks = await startTasks({ ...options, metrics });
  } catch (error) {
    await close();
    throw error;
  }
  const { worker, failed, stop } = tasks;
  return {
    url: listening.url,
    worker,
    failed,
    async stop() {
      draining = true;
      await stop();
      await close();
    },
  };
}
