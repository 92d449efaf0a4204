import { HTTPException } from 'hono/http-exception';
import { isConnectionLost, isNothingDone } from '../../platform/db/sqlstate.ts';
import { describe } from '../../platform/process/errors.ts';
import type { Log } from '../../platform/process/log.ts';
import { type newRoutes, requestIdOf } from './new-routes.ts';
import { problem, RETRY_AFTER } from './problem.ts';
import {
  busy,
  internalError,
  methodNotAllowed,
  notJson,
  outcomeUnknown,
  unsupportedMediaType,
} from './problems.ts';

type Routes = ReturnType<typeof newRoutes>;

/**
 * Makes every address answer 405 to methods that the address does not have. The answer names the
 * allowed methods.
 */
export function refuseOtherMethods(app: Routes) {
  const allowed = new Map<string, Set<string>>();
  for (const { method, path } of app.routes) {
    // A route with ALL or `*` is middleware.
    if (method === 'ALL' || path.endsWith('*')) continue;
    const methods = allowed.get(path) ?? new Set();
    methods.add(method);
    if (method === 'GET' && path !== '/claim-job') methods.add('HEAD');
    allowed.set(path, methods);
  }
  for (const [path, methods] of allowed)
    app.all(path, () => methodNotAllowed([...methods].join(', ')));
}

/** Answers requests that no route answers, and requests whose route throws an error. */
export function answerOtherwise(app: Routes, log: Log) {
  app.notFound((c) =>
    problem({
      status: 404,
      code: 'not-found',
      title: 'Not found',
      detail: `There is nothing at ${c.req.path.slice(0, 200)}.`,
    }),
  );
  app.onError((error, c) => {
    // The validators throw these errors before they check the schema.
    if (error instanceof HTTPException && error.status === 415)
      return problem(unsupportedMediaType);
    if (error instanceof HTTPException && error.status === 400) return problem(notJson);
    if (isNothingDone(error)) return problem(busy, {}, RETRY_AFTER);
    if (isConnectionLost(error)) return problem(outcomeUnknown, {}, RETRY_AFTER);
    const requestId = requestIdOf(c);
    log.error({ event: 'request failed', requestId, error: describe(error) });
    return problem(internalError, { requestId });
  });
}
