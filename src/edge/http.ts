import { randomUUID } from 'node:crypto';
import type { Context, MiddlewareHandler, Next } from 'hono';
import { cors } from 'hono/cors';
import { rateLimiter } from 'hono-rate-limiter';
import { nameOf } from '../auth/caller.ts';
import { isOpen } from '../auth/http.ts';
import { isLoopback } from '../auth/settings.ts';
import { type Env, isWriting } from '../http.ts';
import { problem } from '../problem.ts';
import { crossSiteRefused, tooManyRequests } from '../problems.ts';
import { isCrossSite, nameIn } from './cross-site.ts';

type Middleware = MiddlewareHandler<Env>;

const LONGEST_ID = 255;

/** Names a request: as it says itself, so that a caller finds it in our log, or by a new name. */
export const identify: Middleware = (c, next) => {
  const given = c.req.header('X-Request-Id');
  const isId = given !== undefined && given.length <= LONGEST_ID && /^[\w\-=]+$/.test(given);
  c.set('requestId', isId ? given : randomUUID());
  return next();
};

/** What an answer says to browsers and caches, unless its route says otherwise. */
const HEADERS = {
  // What is said about slots is old by the next request.
  'Cache-Control': 'no-store',
  // It is data: it loads nothing, and stands in nobody's frame. A page brings a policy of its own.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Adds the headers that every answer has. On Node's own response where there is one: to make a
 * `Headers` of an answer's and read it back took 24 of the 63 us that a `GET /healthz` costs.
 */
export const withHeaders: Middleware = async (c, next) => {
  const headers = Object.entries({ ...HEADERS, 'X-Request-Id': c.get('requestId') });
  const { outgoing } = c.env ?? {};
  // What the route says comes later, and replaces these.
  for (const [name, value] of outgoing ? headers : []) outgoing?.setHeader(name, value);
  await next();
  for (const [name, value] of outgoing ? [] : headers)
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
};

/**
 * Refuses who came by another name than this machine's own. Such a name may belong to a web page
 * whose server now gives our address for it: to the browser, page and service are then one site.
 */
export const byLoopbackNameOnly: Middleware = (() => {
  // A host's name takes 8 us to parse, and nearly all ask by the same one.
  let letIn: string | undefined;
  return async (c: Context<Env>, next: Next) => {
    const host = hostOf(c);
    if (host === letIn) return next();
    if (!isLoopback(nameIn(host) ?? '')) return problem(wrongHost);
    letIn = host;
    return next();
  };
})();

const wrongHost = {
  ...crossSiteRefused,
  detail: 'This service is open to this machine alone: ask it as localhost. Nothing was changed.',
} as const;

const PREFLIGHT_IS_GOOD_FOR_S = 600;

/** Lets pages of these origins read the answers. */
export function crossOrigin(origins: readonly string[]): Middleware {
  const allow = cors({
    origin: [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
    exposeHeaders: [
      'Location',
      'Retry-After',
      'X-Request-Id',
      'Idempotent-Replayed',
      'RateLimit',
      'RateLimit-Policy',
    ],
    maxAge: PREFLIGHT_IS_GOOD_FOR_S,
  });
  // Hono takes every OPTIONS for a preflight; the others are for the routes, which refuse them.
  return async (c, next) =>
    c.req.method === 'OPTIONS' && !c.req.header('Access-Control-Request-Method')
      ? next()
      : allow(c, next);
}

/** Refuses what a page of another site would change, unless its origin is allowed to. */
export const refuseCrossSite =
  (origins: readonly string[]): Middleware =>
  async (c, next) => {
    if (!isWriting(c)) return next();
    const from = {
      host: hostOf(c),
      origin: c.req.header('Origin'),
      referer: c.req.header('Referer'),
      site: c.req.header('Sec-Fetch-Site'),
      mode: c.req.header('Sec-Fetch-Mode'),
    };
    return isCrossSite(from, origins) ? problem(crossSiteRefused) : next();
  };

const hostOf = (c: Context<Env>): string => c.req.header('Host') ?? new URL(c.req.url).host;

const RATE_WINDOW_MS = 60_000;

/**
 * Lets each caller ask `limit` times a minute. Remembers who asked in the last two minutes: nobody
 * but those who have a valid token, so no stranger makes it grow.
 */
export function limitRate(limit: number): Middleware {
  const limiter = rateLimiter<Env>({
    limit,
    windowMs: RATE_WINDOW_MS,
    standardHeaders: 'draft-7',
    keyGenerator: (c) => nameOf(c.get('caller')),
    // Of these nobody knows who asks.
    skip: isOpen,
    handler: () => problem(tooManyRequests),
  });
  return async (c, next) => {
    // From now on there is a response whose headers are added to whatever answer comes. Hono would
    // drop those of the limiter from an answer that was not made by its context, as problems are.
    void c.res;
    return limiter(c, next);
  };
}
