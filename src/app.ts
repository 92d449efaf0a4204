import { Hono } from 'hono';
import { requestId } from 'hono/request-id';
import { Admission, type AdmissionLimits } from './claims/admission.ts';
import { claimJob } from './claims/claim-job.ts';
import { claimByGet } from './claims/http.ts';
import { type Database, LOCK_TIMEOUT_MS, POOL_SIZE } from './db/client.ts';
import { describe } from './errors.ts';
import { methodNotAllowed, problem } from './problem.ts';

export interface AppDeps {
  db: Database;
  /** True once the server drains: what runs ends, what is new is refused. */
  isDraining?: () => boolean;
  /** Takes one event, already without secrets, SQL and parameters. */
  log: (event: Record<string, unknown>) => void;
  limits?: Partial<AdmissionLimits>;
}

/** Half of the connections for one job: a held job leaves the others theirs. */
export const CLAIM_LIMITS: AdmissionLimits = {
  places: POOL_SIZE,
  placesPerJob: POOL_SIZE / 2,
  queue: 1_000,
  waitMs: LOCK_TIMEOUT_MS,
  answerMs: 8_000,
};

/** The HTTP service over a database. It listens on nothing: `app.request` calls it as it is. */
export function createApp({ db, log, limits, isDraining = () => false }: AppDeps): Hono {
  const app = new Hono();
  const admission = new Admission({ ...CLAIM_LIMITS, ...limits }, (error) =>
    log({ event: 'claim failed after its answer', error: describe(error) }),
  );

  app.use(requestId());
  app.use(async (c, next) => {
    await next();
    c.header('X-Request-Id', c.get('requestId'));
    // What is said about slots is old by the next request.
    c.header('Cache-Control', 'no-store');
  });
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.all('/healthz', () => methodNotAllowed('GET, HEAD'));
  app.use(async (_, next) => (isDraining() ? shuttingDown() : next()));
  app.all(
    '/claim-job',
    claimByGet((request) => claimJob(db, request), admission),
  );

  app.notFound((c) =>
    problem({
      status: 404,
      code: 'not-found',
      title: 'Not found',
      detail: `There is nothing at ${c.req.path.slice(0, 200)}.`,
    }),
  );
  app.onError((error, c) => {
    const id = c.get('requestId');
    log({ event: 'request failed', requestId: id, method: c.req.method, error: describe(error) });
    return problem(unexpected, { requestId: id });
  });
  return app;
}

const unexpected = {
  status: 500,
  code: 'internal-error',
  title: 'Internal error',
  detail: 'Something unexpected happened. The log has it under the requestId.',
} as const;

const shuttingDown = () =>
  problem(
    {
      status: 503,
      code: 'shutting-down',
      title: 'Shutting down',
      detail: 'This server is shutting down. Nothing was claimed: ask again.',
    },
    {},
    { 'Retry-After': '1', Connection: 'close' },
  );
