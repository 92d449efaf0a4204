import type { ScrapingSettings } from '../config.ts';
import { isLoopback } from '../http/auth/settings.ts';
import { byLoopbackNameOnly, complete } from '../http/edge/http.ts';
import { guardedBy, newRoutes } from '../http/new-routes.ts';
import { metricsRoutes, observeRequests } from '../operation/http.ts';
import type { Metrics } from '../operation/metrics.ts';
import type { Log } from '../process/log.ts';
import { type Listening, listen } from './listen.ts';
import { answerOtherwise, refuseOtherMethods } from './otherwise.ts';

/** A few scrapers ask every few seconds. */
const SOCKETS = 50;

/**
 * Serves the metrics alone on a port of their own, if the settings name a port. Nobody needs a
 * token there. Throws a `PlainError` if the port cannot be used.
 */
export async function listenForScrapers(
  { host, port }: ScrapingSettings,
  log: Log,
  metrics: Metrics,
): Promise<Listening | undefined> {
  if (port === undefined) return undefined;
  const app = newRoutes();
  app.use(complete(observeRequests(log, metrics)));
  // A page of another site could read the metrics by a name that leads to this machine.
  if (isLoopback(host)) app.use(guardedBy(byLoopbackNameOnly()));
  const routes = metricsRoutes(metrics);
  refuseOtherMethods(routes);
  app.route('/', routes);
  answerOtherwise(app, log);
  return listen(app, host, port, { sockets: SOCKETS }, 'METRICS_PORT');
}
