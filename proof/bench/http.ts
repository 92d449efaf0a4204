import { Hono } from 'hono';
import { requestId } from 'hono/request-id';
import { admitted, answer } from '../claims/http.ts';
import { CHANGE_LIMITS } from '../claims/limits.ts';
import { onlyMeant } from '../claims/only-meant.ts';
import { claimQuery } from '../claims/routes.ts';
import { settle } from '../claims/settle.ts';
import type { Database } from '../db/client.ts';
import { type Env, guardedBy } from '../http/new-routes.ts';
import { invalid } from '../http/problems.ts';
import { describe } from '../process/errors.ts';
import type { Log } from '../process/log.ts';
import { Admission } from '../waiting/admission.ts';
import { firstClaim } from './scenarios/first-claim.ts';

/**
 * The service as it was first written. The bench compares the product with this service. The
 * service has only `GET /claim-job`, with today's checks and answers, and makes one transaction for
 * each claim. It also answers `GET /healthz`.
 */
export function createTextbook(db: Database, log: Log) {
  const admission = new Admission(CHANGE_LIMITS, (error) =>
    log.error({ event: 'claim failed after its answer', error: describe(error) }),
  );
  const app = new Hono<Env>();
  app.use(requestId());
  app.use(async (c, next) => {
    await next();
    c.header('X-Request-Id', c.get('requestId'));
    c.header('Cache-Control', 'no-store');
  });
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/claim-job', guardedBy(onlyMeant), async (c) => {
    const parsed = claimQuery.safeParse(c.req.query());
    if (!parsed.success) return invalid(parsed.error, 'query');
    const request = parsed.data;
    const claim = async () => answer(c, await settle(firstClaim(db, request)), 200);
    return admitted(admission, request.jobId, claim);
  });
  return app;
}
