import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler, Next } from 'hono';
import { etag, RETAINED_304_HEADERS } from 'hono/etag';
import type { Result } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';
import type { RequestKey } from '../idempotency/keys.ts';
import type { Caller } from './auth/caller.ts';
import { invalid } from './problems.ts';

/** The facts that middleware stores about a request. */
export interface Env {
  /** Node's request and response. Absent if the app is called without a socket. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** Absent until `requestIdOf` is called. */
    requestId?: string;
    caller: Caller;
    /** Present if the request has an idempotency key without a stored answer. */
    key?: RequestKey;
  };
}

/**
 * A router that remembers the handlers of paths without parameters. Finding these handlers again
 * for each request used 3 kB for every waiting claim. Hono's fastest router would also remember the
 * handlers, but does not accept `/jobs/events` beside `/jobs/:id`.
 */
class RememberingRouter<T> extends TrieRouter<T> {
  readonly #literal = new Set<string>();
  readonly #known = new Map<string, Result<T>>();

  override add(method: string, path: string, handler: T) {
    super.add(method, path, handler);
    this.#known.clear();
    if (!/[:*]/.test(path)) this.#literal.add(path);
  }

  override match(method: string, path: string): Result<T> {
    if (!this.#literal.has(path)) return super.match(method, path);
    const name = `${method} ${path}`;
    const known = this.#known.get(name) ?? super.match(method, path);
    this.#known.set(name, known);
    return known;
  }
}

/** Makes a router. Its routes answer `invalid-request` if their schemas refuse a request. */
export const newRoutes = () =>
  new OpenAPIHono<Env>({
    router: new RememberingRouter(),
    defaultHook: (result) =>
      result.success
        ? undefined
        : invalid(result.error, result.target === 'json' ? 'body' : result.target),
  });

/**
 * Checks a request before its route runs. Returns an answer if the request ends here. Returns
 * undefined if the request may go on.
 */
export type Guard = (c: Context<Env>) => Refusal | Promise<Refusal>;
type Refusal = Response | undefined;

/**
 * Calls the guards one after the other. They share one middleware without async functions. Each
 * further middleware or async function would use at least half a kilobyte for every waiting claim.
 */
export function guardedBy(...guards: Guard[]): MiddlewareHandler<Env> {
  const askFrom = (index: number, c: Context<Env>, next: Next): ReturnType<MiddlewareHandler> => {
    for (let at = index; at < guards.length; at++) {
      const refusal = guards[at]?.(c);
      if (refusal instanceof Promise)
        return refusal.then((late) => late ?? askFrom(at + 1, c, next));
      if (refusal) return Promise.resolve(refusal);
    }
    return next();
  };
  return (c, next) => askFrom(0, c, next);
}

const LONGEST_ID = 255;

/** Returns the id of the request in the log: the id that the caller sent, or a new id. */
export function requestIdOf(c: Context<Env>): string {
  const given = c.req.header('X-Request-Id');
  const isId = given !== undefined && given.length <= LONGEST_ID && /^[\w\-=]+$/.test(given);
  const id = c.get('requestId') ?? (isId ? given : randomUUID());
  c.set('requestId', id);
  return id;
}

/** A GET of this address claims a job. */
const CLAIM_BY_GET = '/claim-job';

/**
 * Returns whether a request may change something. True for methods that write, and for a GET that
 * claims.
 */
export const isWriting = ({ req }: Context<Env>): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(req.method) || req.path === CLAIM_BY_GET;

/**
 * The `Cache-Control` of a file whose address changes with its content. Browsers may keep such a
 * file for a year, the usual maximum.
 */
export const FOR_EVER = 'public, max-age=31536000, immutable';

const etagged = etag({ retainedHeaders: [...RETAINED_304_HEADERS, 'content-security-policy'] });

/**
 * Lets the browser keep the answer, and ask each time whether the answer has changed. The answer
 * "not modified" has the page's own security policy. If it had the default policy of our data, the
 * browser would replace the page's policy.
 */
export const revalidated: MiddlewareHandler<Env> = async (c, next) => {
  const answer = await etagged(c, next);
  c.header('Cache-Control', 'no-cache');
  return answer;
};
