import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Log } from '../../platform/process/log.ts';
import { version } from '../../platform/process/project.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import { shared } from '../../platform/waiting/shared.ts';
import { type Env, newRoutes, requestIdOf } from '../http/new-routes.ts';
import { problem, RETRY_AFTER } from '../http/problem.ts';
import { readQueueFigures } from '../queue/queries.ts';
import { readLineFigures } from '../waitlist/queries.ts';
import { readRelayLag } from '../webhooks/relay/relay.ts';
import { readClearingLag } from './clearing.ts';
import type { Metrics } from './metrics.ts';
import { createReadiness, type ReadinessDeps } from './readiness.ts';
import { readPause } from './restores.ts';
import * as routes from './routes.ts';

export interface OperationDeps extends ReadinessDeps {
  metrics: Metrics;
}

/**
 * Makes the routes for operators. The routes show whether the server is alive and ready, and show
 * its metrics.
 */
export function operationRoutes({ metrics, ...deps }: OperationDeps) {
  const readiness = createReadiness(deps);
  metrics.tasks.queue(inPatience(() => readQueueFigures(deps.db)));
  metrics.gauge(
    'rowlock_oldest_unrelayed_event_seconds',
    'Age of the oldest event that no relay has read.',
    inPatience(() => readRelayLag(deps.db)),
  );
  metrics.gauge(
    'rowlock_clearing_behind_seconds',
    'How long ago the oldest claim or key expired that is not removed yet.',
    inPatience(() => readClearingLag(deps.db)),
  );
  const lines = inPatience(() => readLineFigures(deps.db));
  metrics.gauge(
    'rowlock_waitlist_waiting',
    'Recruiters who wait for a job.',
    async () => (await lines())?.waiting,
  );
  metrics.gauge(
    'rowlock_waitlist_longest_wait_seconds',
    'How long the first of all who wait has waited.',
    async () => (await lines())?.longestWaitSeconds,
  );
  metrics.gauge(
    'rowlock_waitlist_offers',
    'Offers that nobody has accepted yet.',
    async () => (await lines())?.offers,
  );
  metrics.gauge(
    'rowlock_paused_by_restore',
    '1 while tasks and webhooks of a restored database are paused.',
    inPatience(() => readPause(deps.db)),
  );
  metrics.gauge('rowlock_ready', '1 if /readyz answers 200.', async () =>
    Number((await readiness()).problem === undefined),
  );
  return newRoutes()
    .openapi(routes.healthz, (c) => c.json({ status: 'ok' as const, version }, 200))
    .openapi(routes.readyz, async (c) => {
      const { problem: reason, isNewer } = await readiness();
      if (reason) return problem(reason, {}, RETRY_AFTER);
      return c.json({ status: 'ready' as const, ...(isNewer && { database: NEWER }) }, 200);
    })
    .route('/', metricsRoutes(metrics));
}

/** The text of /readyz if the database has migrations that this version does not know. */
const NEWER = 'newer than this version, which may serve';

/** Makes only the route of the metrics. */
export const metricsRoutes = (metrics: Metrics) =>
  newRoutes().openapi(routes.metrics, async (c) =>
    c.text(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
  );

/** How long the metrics wait for the database. Prometheus ends a slow scrape soon. */
const PATIENCE_MS = 1_000;

/**
 * Returns a function that reads figures from the database. The function returns undefined if the
 * database does not answer in time. Then the answer of /metrics has only the other metrics.
 */
function inPatience<T>(readFigures: () => Promise<T>): () => Promise<T | undefined> {
  const read = shared(readFigures);
  return () => inTime(read(), PATIENCE_MS, () => undefined).catch(() => undefined);
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const LONGEST_PATH = 200;
/**
 * The paths whose requests are not logged. Probes and Prometheus send very many of these requests.
 */
const UNLOGGED = new Set(['/healthz', '/readyz', '/metrics']);

/** Logs a request in one line and adds it to the metrics. Probes and /metrics are not logged. */
export const observeRequests = (log: Log, metrics: Metrics) => {
  return (c: Context<Env>, milliseconds: number) => {
    const method = METHODS.has(c.req.method) ? c.req.method : 'other';
    const route = routeOf(c);
    const { status } = c.res;
    const seconds = milliseconds / 1000;
    // All requests with a wrong method share the labels `other` and `unknown`. Labels for each
    // method and route would add several hundred lines to /metrics.
    if (status === 405) metrics.request({ method: 'other', route: 'unknown', status, seconds });
    else metrics.request({ method, route: route ?? 'unknown', status, seconds });
    if (route !== undefined && UNLOGGED.has(route)) return;
    log.info({
      event: 'request',
      requestId: requestIdOf(c),
      method,
      ...(route === undefined ? { path: c.req.path.slice(0, LONGEST_PATH) } : { route }),
      status,
      milliseconds: Math.round(milliseconds * 10) / 10,
    });
  };
};

/**
 * Returns the pattern of the route that answers, or undefined if only middleware matched. A path
 * may match several patterns, such as `/jobs/events` and `/jobs/:id`. Then the first pattern
 * answers.
 */
function routeOf(c: Context): string | undefined {
  return matchedRoutes(c).find(({ path }) => !path.endsWith('*'))?.path;
}
