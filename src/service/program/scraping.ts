import type { Log } from '../../platform/process/log.ts';
import { isLoopback } from '../config/auth.ts';
import type { ScrapingSettings } from '../config/config.ts';
import { byLoopbackNameOnly, complete } from '../http/edge/http.ts';
import { type Listening, listen } from '../http/edge/listen.ts';
import { guardedBy, newRoutes } from '../http/new-routes.ts';
import { answerOtherwise, refuseOtherMethods } from '../http/otherwise.ts';
import { metricsRoutes, observeRequests } from '../operation/http.ts';
import type { Metrics } from '../operation/metrics.ts';

/** The maximum number of open connections. Only a few scrapers use this port. */
const SOCKETS = 50;

/**
 * Serves only the metrics on a separate port, if the settings name a port. Requests to this port
 * need no token. Throws a `PlainError` if the port cannot be used.
 */
export async function listenForScrapers(
  { host, port }: ScrapingSettings,
  log: Log,
  metrics: Metrics,
): Promise<Listening | undefined> {
  if (port === undefined) return undefined;
  const app = newRoutes();
  app.use(complete(observeRequests(log, metrics)));
  // Without this check, a web page of another site could use a name that leads to this machine, and
  // read the metrics.
  if (isLoopback(host)) app.use(guardedBy(byLoopbackNameOnly()));
  const routes = metricsRoutes(metrics);
  refuseOtherMethods(routes);
  app.route('/', routes);
  answerOtherwise(app, log);
  return listen(app, host, port, { sockets: SOCKETS }, 'METRICS_PORT');
}
