import { adminOnly, authenticate, opensFor } from '../http/auth/http.ts';
import type { AuthSettings } from '../http/auth/settings.ts';
import { byLoopbackNameOnly, complete } from '../http/edge/http.ts';
import { guardedBy, newRoutes } from '../http/new-routes.ts';
import { observeRequests, operationRoutes } from '../operation/http.ts';
import type { Metrics } from '../operation/metrics.ts';
import type { ReadinessDeps } from '../operation/readiness.ts';
import type { Log } from '../process/log.ts';
import { answerOtherwise, refuseOtherMethods } from './otherwise.ts';

export interface WorkerAppDeps extends ReadinessDeps {
  auth: AuthSettings;
  metricsToken?: string | undefined;
  log: Log;
  metrics: Metrics;
}

/** Makes the HTTP service of a worker process: its health and its metrics, and nothing else. */
export function createWorkerApp({ auth, metricsToken, log, metrics, ...readiness }: WorkerAppDeps) {
  const app = newRoutes();
  app.use(complete(observeRequests(log, metrics)));
  const byName = auth.kind === 'loopback' ? [byLoopbackNameOnly()] : [];
  app.use(guardedBy(...byName, authenticate(auth, log, opensFor([]), metricsToken)));
  app.use('/metrics', guardedBy(adminOnly));
  const operation = operationRoutes({ ...readiness, metrics });
  refuseOtherMethods(operation);
  app.route('/', operation);
  answerOtherwise(app, log);
  return app;
}
