import type { ScrapingSettings } from '../config.ts';
import { connect } from '../db/client.ts';
import { tellingOperator } from '../db/telling.ts';
import { databaseName } from '../db/unusable.ts';
import type { AuthSettings } from '../http/auth/settings.ts';
import { createMetrics } from '../operation/metrics.ts';
import { type Listening, listen } from './listen.ts';
import { listenForScrapers } from './scraping.ts';
import type { Service } from './service.ts';
import { startTasks, type Tasks, type TasksOptions } from './tasks.ts';
import { createWorkerApp } from './worker-app.ts';

/** Scrapers and probes send a request every few seconds. Running requests end long before this. */
const DRAIN_MS = 2_000;

/** Health checks and metrics do not wait for the worker. */
const CONNECTIONS_OF_PROBES = 2;

export interface WorkerServiceOptions extends Omit<TasksOptions, 'metrics' | 'open'> {
  host: string;
  /** 0 means any free port. */
  port: number;
  auth: AuthSettings;
  scraping?: ScrapingSettings;
}

export interface WorkerService
  extends Pick<Listening, 'url'>,
    Pick<Tasks, 'worker' | 'failed'>,
    Pick<Service, 'metricsUrl'> {
  /** Stops the worker, and then closes the port. `/readyz` answers 503 in the meantime. */
  stop(): Promise<void>;
}

/**
 * Starts a worker alone, with its health and metrics on a port. Throws a `PlainError` if the service
 * cannot listen, or if a living worker has the name. Throws the reason of `stop` if `stop` ends the
 * start.
 */
export async function startWorkerService(options: WorkerServiceOptions): Promise<WorkerService> {
  const { databaseUrl, pooler, host, port, auth, log, scraping } = options;
  const metrics = createMetrics();
  let draining = false;
  let tasks: Tasks | undefined;
  const open = tellingOperator(log, databaseName(databaseUrl));
  const probe = connect(databaseUrl, { pooler, open, connections: CONNECTIONS_OF_PROBES });
  const app = createWorkerApp({
    db: probe.db,
    auth,
    metricsToken: scraping?.token,
    log,
    metrics,
    isDraining: () => draining,
    isAbleToRenew: () => tasks?.isAbleToRenew() ?? false,
  });
  const listening = await listen(app, host, port, {}, 'WORKER_PORT');
  let forScrapers: Listening | undefined;
  const close = () =>
    Promise.all([listening.drain(DRAIN_MS), forScrapers?.drain(0), probe.close()]);
  try {
    if (scraping) forScrapers = await listenForScrapers(scraping, log, metrics);
    tasks = await startTasks({ ...options, open, metrics });
  } catch (error) {
    await close();
    throw error;
  }
  const { worker, failed, stop } = tasks;
  return {
    url: listening.url,
    metricsUrl: forScrapers?.url,
    worker,
    failed,
    async stop() {
      draining = true;
      await stop();
      await close();
    },
  };
}
