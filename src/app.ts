import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { requestId } from 'hono/request-id';
import { ANYBODY } from './auth/caller.ts';
import { Admission, type AdmissionLimits } from './claims/admission.ts';
import { claimRoutes } from './claims/http.ts';
import { companyRoutes } from './companies/http.ts';
import { type Database, LOCK_TIMEOUT_MS, POOL_SIZE } from './db/client.ts';
import { isConnectionLost, isNothingDone } from './db/sqlstate.ts';
import { describe } from './errors.ts';
import { type Env, newRoutes } from './http.ts';
import { createWrite, judgeKey } from './idempotency/http.ts';
import { jobRoutes } from './jobs/http.ts';
import type { Feed } from './live/feed.ts';
import { liveRoutes } from './live/http.ts';
import { methodNotAllowed, problem, RETRY_AFTER } from './problem.ts';
import {
  bodyTooLarge,
  busy,
  internalError,
  invalidRequest,
  outcomeUnknown,
  shuttingDown,
} from './problems.ts';
import { recruiterRoutes } from './recruiters/http.ts';

export interface AppDeps {
  db: Database;
  /** Tells who follows the jobs what becomes of them; closed before the server drains. */
  feed: Feed;
  /** True once the server drains: what runs ends, what is new is refused. */
  isDraining?: () => boolean;
  /** Takes one event, already without secrets, SQL and parameters. */
  log: (event: Record<string, unknown>) => void;
  limits?: Partial<AdmissionLimits>;
  /** How long an idempotency key is remembered. */
  keyHours?: number;
}

/** Half of the connections for one job: a held job leaves the others theirs. */
export const CLAIM_LIMITS: AdmissionLimits = {
  places: POOL_SIZE,
  placesPerJob: POOL_SIZE / 2,
  queue: 1_000,
  waitMs: LOCK_TIMEOUT_MS,
  answerMs: 8_000,
};
const KEY_HOURS = 24;
const BODY_LIMIT_BYTES = 10_000;

/** The HTTP service over a database. It listens on nothing: `app.request` calls it as it is. */
export function createApp(deps: AppDeps) {
  const { db, feed, log, limits, isDraining = () => false, keyHours = KEY_HOURS } = deps;
  const admission = new Admission({ ...CLAIM_LIMITS, ...limits }, (error) =>
    log({ event: 'claim failed after its answer', error: describe(error) }),
  );
  const write = createWrite(db, { hours: keyHours, waitMs: LOCK_TIMEOUT_MS });

  const app = newRoutes();
  app.use(requestId());
  app.use(async (c, next) => {
    await next();
    c.header('X-Request-Id', c.get('requestId'));
    // What is said about slots is old by the next request.
    c.header('Cache-Control', 'no-store');
  });
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.all('/healthz', () => methodNotAllowed('GET, HEAD'));
  app.use(async (_, next) =>
    isDraining() ? problem(shuttingDown, {}, { ...RETRY_AFTER, Connection: 'close' }) : next(),
  );
  app.use(bodyLimit({ maxSize: BODY_LIMIT_BYTES, onError: () => problem(bodyTooLarge) }));
  app.use(async (c, next) => {
    c.set('caller', ANYBODY);
    return next();
  });
  app.use(judgeKey(db, isWriting));

  const routes = app
    .route('/', claimRoutes({ db, write, admission }))
    // Before the jobs, where `events` would be taken for an id.
    .route('/', liveRoutes({ feed }))
    .route('/', jobRoutes({ db, write }))
    .route('/', companyRoutes({ db, write }))
    .route('/', recruiterRoutes({ db, write }));
  refuseOtherMethods(routes);

  app.notFound((c) =>
    problem({
      status: 404,
      code: 'not-found',
      title: 'Not found',
      detail: `There is nothing at ${c.req.path.slice(0, 200)}.`,
    }),
  );
  app.onError((error, c) => {
    if (error instanceof HTTPException && error.status === 400)
      return problem({ ...invalidRequest, detail: 'The body is not JSON.' });
    if (isNothingDone(error)) return problem(busy, {}, RETRY_AFTER);
    if (isConnectionLost(error)) return problem(outcomeUnknown, {}, RETRY_AFTER);
    const id = c.get('requestId');
    log({ event: 'request failed', requestId: id, method: c.req.method, error: describe(error) });
    return problem(internalError, { requestId: id });
  });
  return routes;
}

/** What a client written in TypeScript has to know of the service. */
export type App = ReturnType<typeof createApp>;

const isWriting = (c: Context<Env>): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(c.req.method) || c.req.path === '/claim-job';

/** Every address that exists says by which methods it is asked. */
function refuseOtherMethods(app: ReturnType<typeof newRoutes>) {
  const allowed = new Map<string, Set<string>>();
  for (const { method, path } of app.routes) {
    if (method === 'ALL') continue;
    const methods = allowed.get(path) ?? new Set();
    methods.add(method);
    if (method === 'GET' && path !== '/claim-job') methods.add('HEAD');
    allowed.set(path, methods);
  }
  for (const [path, methods] of allowed)
    app.all(path, () => methodNotAllowed([...methods].join(', ')));
}
