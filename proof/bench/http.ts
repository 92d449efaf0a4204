import { Hono } from 'hono';
import { requestId } from 'hono/request-id';
import type { Database } from '../../src/platform/db/client.ts';
import { describe } from '../../src/platform/process/errors.ts';
import type { Log } from '../../src/platform/process/log.ts';
import { Admission } from '../../src/platform/waiting/admission.ts';
import { admitted, answer } from '../../src/service/claims/http.ts';
import { CHANGE_LIMITS } from '../../src/service/claims/limits.ts';
import { onlyMeant } from '../../src/service/claims/only-meant.ts';
import { claimQuery } from '../../src/service/claims/routes.ts';
import { settle } from '../../src/service/claims/settle.ts';
import { type Env, guardedBy } from '../../src/service/http/new-routes.ts';
import { invalid } from '../../src/service/http/problems.ts';
import { firstClaim } from './scenarios/first-claim.ts';

/**
 * Creates the service as it was first written. The bench compares the product with this first
 * service. The first service has two routes: `GET /claim-job` and `GET /healthz`. Only the checks
 * and answers are those of today. Each claim is one transaction.
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
