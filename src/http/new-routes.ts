import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler, Next } from 'hono';
import { etag, RETAINED_304_HEADERS } from 'hono/etag';
import type { Result } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';
import type { Caller } from './auth/caller.ts';
import type { RequestKey } from './idempotency/keys.ts';
import { invalid } from './problems.ts';

/** What the middleware of the app has found out about a request. */
export interface Env {
  /** Node's own request and response, where the app is asked over a socket. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** Not there before somebody wants to know: see `requestIdOf`. */
    requestId?: string;
    caller: Caller;
    /** Present where the request came with an idempotency key that was not answered yet. */
    key?: RequestKey;
  };
}

/**
 * Hono's router for any paths, which remembers what stands in the way of those without a parameter.
 * Found anew each time, it was 3 kB of every claim that waits. Hono's fastest router would share it,
 * and takes no `/jobs/events` beside `/jobs/:id`.
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

/** Routes that answer what their schemas turn down with `invalid-request`. */
export const newRoutes = () =>
  new OpenAPIHono<Env>({
    router: new RememberingRouter(),
    defaultHook: (result) =>
      result.success
        ? undefined
        : invalid(result.error, result.target === 'json' ? 'body' : result.target),
  });

/** Looks at a request before its route does: the answer that ends it, or nothing to let it go on. */
export type Guard = (c: Context<Env>) => Refusal | Promise<Refusal>;
type Refusal = Response | undefined;

/**
 * Asks guards in turn. As one middleware, and no async function: each level of either is half a
 * kilobyte or more of every claim that waits.
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

/** The request's name in the log: as it says itself, so that its caller finds it, or a new one. */
export function requestIdOf(c: Context<Env>): string {
  const given = c.req.header('X-Request-Id');
  const isId = given !== undefined && given.length <= LONGEST_ID && /^[\w\-=]+$/.test(given);
  const id = c.get('requestId') ?? (isId ? given : randomUUID());
  c.set('requestId', id);
  return id;
}

/** A GET under this name claims, wherever it is mounted. */
const CLAIMS_BY_GET = /\/claim-job$/;

/** Whether a request may change something: by its method, or as a GET that claims. */
export const isWriting = ({ req }: Context<Env>): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(req.method) || CLAIMS_BY_GET.test(req.path);

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
