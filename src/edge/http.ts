import type { Context, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { secureHeaders } from 'hono/secure-headers';
import { rateLimiter } from 'hono-rate-limiter';
import { nameOf } from '../auth/caller.ts';
import { isOpen } from '../auth/http.ts';
import { isLoopback } from '../auth/settings.ts';
import { type Env, isWriting } from '../http.ts';
import { problem } from '../problem.ts';
import { crossSiteRefused, tooManyRequests } from '../problems.ts';
import { isCrossSite, nameIn } from './cross-site.ts';

type Middleware = MiddlewareHandler<Env>;

/** Says to browsers that an answer is data: it loads nothing, and stands in nobody's frame. */
export const hardened: Middleware = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  xFrameOptions: 'DENY',
  // Whether a domain is for https alone is for those to say who end TLS in front of us.
  strictTransportSecurity: false,
  // A page of ours brings a policy of its own.
  overwrite: false,
});

/**
 * Refuses who came by another name than this machine's own. Such a name may belong to a web page
 * whose server now gives our address for it: to the browser, page and service are then one site.
 */
export const byLoopbackNameOnly: Middleware = async (c, next) =>
  isLoopback(nameIn(hostOf(c)) ?? '') ? next() : problem(wrongHost);

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
