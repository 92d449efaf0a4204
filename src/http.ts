import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { etag, RETAINED_304_HEADERS } from 'hono/etag';
import type { Caller } from './auth/caller.ts';
import type { RequestKey } from './idempotency/keys.ts';
import { invalid } from './problem.ts';

/** What the middleware of the app has found out about a request. */
export interface Env {
  Variables: {
    requestId: string;
    caller: Caller;
    /** Present where the request came with an idempotency key that was not answered yet. */
    key?: RequestKey;
  };
}

/** Routes that answer what their schemas turn down with `invalid-request`. */
export const newRoutes = () =>
  new OpenAPIHono<Env>({
    defaultHook: (result) =>
      result.success
        ? undefined
        : invalid(result.error, result.target === 'json' ? 'body' : result.target),
  });

/** What a GET sets off: the claim itself, and in workshop mode a strategy's, or an exploration. */
const ACTS_BY_GET = /^(\/lab\/strategies\/[^/]+)?\/claim-job$|^\/lab\/explorations$/;

/** Whether a request may change something: by its method, or as a GET that acts. */
export const isWriting = ({ req }: Context<Env>): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(req.method) || ACTS_BY_GET.test(req.path);

/** How long a file may be kept whose address changes with its content: a year is as good as ever. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

const etagged = etag({ retainedHeaders: [...RETAINED_304_HEADERS, 'content-security-policy'] });

/**
 * May be kept, but is asked for each time whether it has changed. "Not modified" comes with the
 * page's own policy: with that of our data, the browser would put it in the place of the page's.
 */
export const revalidated: MiddlewareHandler<Env> = async (c, next) => {
  const answer = await etagged(c, next);
  c.header('Cache-Control', 'no-cache');
  return answer;
};
