import { connect } from '../../platform/db/client.ts';
import { tellingOperator } from '../../platform/db/telling.ts';
import { databaseName } from '../../platform/db/unusable.ts';
import type { Log } from '../../platform/process/log.ts';
import type { AuthSettings } from '../config/auth.ts';
import type { ScrapingSettings } from '../config/config.ts';
import { adminOnly, authenticate, opensFor } from '../http/auth/http.ts';
import { byLoopbackNameOnly, complete } from '../http/edge/http.ts';
import { drainAndLog, type Listening, listen } from '../http/edge/listen.ts';
import { guardedBy, newRoutes } from '../http/new-routes.ts';
import { answerOtherwise, refuseOtherMethods } from '../http/otherwise.ts';
import { observeRequests, operationRoutes } from '../operation/http.ts';
import type { Metrics } from '../operation/metrics.ts';
import { createMetrics } from '../operation/metrics.ts';
import type { ReadinessDeps } from '../operation/readiness.ts';
import { listenForScrapers } from './scraping.ts';
import type { Service } from './service.ts';
import { startTasks, type Tasks, type TasksOptions } from './tasks.ts';

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

interface WorkerAppDeps extends ReadinessDeps {
  auth: AuthSettings;
  metricsToken?: string | undefined;
  /** How many invalid tokens a network may send each minute. 0 means no limit. */
  rateLimit?: number | undefined;
  log: Log;
  metrics: Metrics;
}

/** Makes the HTTP service of a worker process: only the health checks and the metrics. */
export function createWorkerApp(deps: WorkerAppDeps) {
  const { auth, metricsToken, rateLimit, log, metrics, ...readiness } = deps;
  const app = newRoutes();
  app.use(complete(observeRequests(log, metrics)));
  const byName = auth.kind === 'loopback' ? [byLoopbackNameOnly()] : [];
  app.use(
    guardedBy(
      ...byName,
      authenticate(auth, log, { isOpen: opensFor([]), metricsToken, rateLimit }),
    ),
  );
  app.use('/metrics', guardedBy(adminOnly));
  const operation = operationRoutes({ ...readiness, metrics });
  refuseOtherMethods(operation);
  app.route('/', operation);
  answerOtherwise(app, log);
  return app;
}
