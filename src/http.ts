import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
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
