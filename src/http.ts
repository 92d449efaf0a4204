import type { HttpBindings } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Caller } from './auth/caller.ts';
import type { RequestKey } from './idempotency/keys.ts';
import { invalid } from './problem.ts';

/** What the middleware of the app has found out about a request. */
export interface Env {
  /** Node's own request and response, where the app is asked over a socket. */
  Bindings: Partial<HttpBindings>;
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

/** The addresses that claim by GET: the claim itself, and a strategy's in workshop mode. */
const CLAIMS_BY_GET = /^(\/lab\/strategies\/[^/]+)?\/claim-job$/;

/** Whether a request may change something: by its method, or as a GET that claims. */
export const isWriting = ({ req }: Context<Env>): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(req.method) || CLAIMS_BY_GET.test(req.path);
