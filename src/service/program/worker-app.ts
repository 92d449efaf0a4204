import type { Log } from '../../platform/process/log.ts';
import type { AuthSettings } from '../config/auth.ts';
import { adminOnly, authenticate, opensFor } from '../http/auth/http.ts';
import { byLoopbackNameOnly, complete } from '../http/edge/http.ts';
import { guardedBy, newRoutes } from '../http/new-routes.ts';
import { answerOtherwise, refuseOtherMethods } from '../http/otherwise.ts';
import { observeRequests, operationRoutes } from '../operation/http.ts';
import type { Metrics } from '../operation/metrics.ts';
import type { ReadinessDeps } from '../operation/readiness.ts';

export interface WorkerAppDeps extends ReadinessDeps {
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
