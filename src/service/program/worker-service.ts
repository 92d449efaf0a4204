import { connect } from '../../platform/db/client.ts';
import { tellingOperator } from '../../platform/db/telling.ts';
import { databaseName } from '../../platform/db/unusable.ts';
import type { AuthSettings } from '../config/auth.ts';
import type { ScrapingSettings } from '../config/config.ts';
import { drainAndLog, type Listening, listen } from '../http/edge/listen.ts';
import { createMetrics } from '../operation/metrics.ts';
import { listenForScrapers } from './scraping.ts';
import type { Service } from './service.ts';
import { startTasks, type Tasks, type TasksOptions } from './tasks.ts';
import { createWorkerApp } from './worker-app.ts';

/** How long a stop waits for running requests. Health checks and metrics take much less time. */
const DRAIN_MS = 2_000;

/** The number of connections for health checks and metrics. The worker has other connections. */
const CONNECTIONS_OF_PROBES = 2;

export interface WorkerServiceOptions extends Omit<TasksOptions, 'metrics' | 'open'> {
  host: string;
  /** 0 means any free port. */
  port: number;
  auth: AuthSettings;
  /** How many invalid tokens a network may send each minute. 0 means no limit. */
  rateLimit?: number;
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
 * Starts a worker without the rest of the service. A port serves only the health and the metrics.
 * Throws a `PlainError` if the port cannot be used, or if a living worker has the name. Throws the
 * reason of `stop` if `stop` ends the start.
 */
export async function startWorkerService(options: WorkerServiceOptions): Promise<WorkerService> {
  const { databaseUrl, pooler, host, port, auth, rateLimit, log, scraping } = options;
  const metrics = createMetrics();
  let draining = false;
  let tasks: Tasks | undefined;
  const open = tellingOperator(log, databaseName(databaseUrl));
  const probe = connect(databaseUrl, { pooler, open, connections: CONNECTIONS_OF_PROBES });
  const app = createWorkerApp({
    db: probe.db,
    auth,
    metricsToken: scraping?.token,
    rateLimit,
    log,
    metrics,
    isDraining: () => draining,
    isAbleToRenew: () => tasks?.isAbleToRenew() ?? false,
  });
  const listening = await listen(app, host, port, {}, 'WORKER_PORT');
  let forScrapers: Listening | undefined;
  const closeOthers = () => Promise.all([forScrapers?.drain(0), probe.close()]);
  try {
    if (scraping) forScrapers = await listenForScrapers(scraping, log, metrics);
    tasks = await startTasks({ ...options, open, metrics });
  } catch (error) {
    await Promise.all([listening.drain(0), closeOthers()]);
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
      await drainAndLog(listening, DRAIN_MS, log);
      await closeOthers();
    },
  };
}
