import type { Context, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { rateLimiter } from 'hono-rate-limiter';
import { nameOf } from '../auth/caller.ts';
import type { Question } from '../auth/http.ts';
import { isLoopback } from '../auth/settings.ts';
import { type Env, type Guard, isWriting, requestIdOf } from '../new-routes.ts';
import { problem } from '../problem.ts';
import { crossSiteRefused, tooManyRequests } from '../problems.ts';
import { isCrossSite, nameIn } from './cross-site.ts';
import { CommonResponse, HEADERS } from './response.ts';

type Middleware = MiddlewareHandler<Env>;

/**
 * Adds the headers that every answer has, and says how long that took. No async function, which
 * would be 400 bytes more of every claim that waits.
 */
export const complete =
  (onAnswer: (c: Context<Env>, milliseconds: number) => void): Middleware =>
  (c, next) => {
    const began = performance.now();
    const end = () => {
      const common = { ...HEADERS, 'x-request-id': requestIdOf(c) };
      const { outgoing } = c.env ?? {};
      if (outgoing instanceof CommonResponse) outgoing.common = common;
      else addMissing(c.res.headers, common);
      onAnswer(c, performance.now() - began);
    };
    return next().then(end);
  };

function addMissing(headers: Headers, common: Record<string, string>) {
  for (const [name, value] of Object.entries(common))
    if (!headers.has(name)) headers.set(name, value);
}

/**
 * Refuses who came by another name than this machine's own. Such a name may belong to a web page
 * whose server now gives our address for it: to the browser, page and service are then one site.
 */
export function byLoopbackNameOnly(): Guard {
  // A host's name takes 8 us to parse, and nearly all ask by the same one.
  let letIn: string | undefined;
  return (c) => {
    const host = hostOf(c);
    if (host !== letIn && !isLoopback(nameIn(host) ?? '')) return problem(wrongHost);
    letIn = host;
    return undefined;
  };
}

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
export function refuseCrossSite(origins: readonly string[]): Guard {
  const refuse = refuseOtherSites(origins);
  return (c) => (isWriting(c) ? refuse(c) : undefined);
}

/** Refuses every request that a page of another site makes, unless its origin is allowed to. */
export const refuseOtherSites =
  (origins: readonly string[]): Guard =>
  (c) => {
    const from = {
      host: hostOf(c),
      origin: c.req.header('Origin'),
      referer: c.req.header('Referer'),
      site: c.req.header('Sec-Fetch-Site'),
      mode: c.req.header('Sec-Fetch-Mode'),
    };
    return isCrossSite(from, origins) ? problem(crossSiteRefused) : undefined;
  };

const hostOf = (c: Context<Env>): string => c.req.header('Host') ?? new URL(c.req.url).host;

const RATE_WINDOW_MS = 60_000;

/**
 * Lets each caller ask `limit` times a minute, and for what `skip` says any number of times. Remembers
 * who asked in the last two minutes: nobody
 * but those who have a valid token, so no stranger makes it grow.
 */
export function limitRate(limit: number, skip: Question): Middleware {
  const limiter = rateLimiter<Env>({
    limit,
    windowMs: RATE_WINDOW_MS,
    standardHeaders: 'draft-7',
    keyGenerator: (c) => nameOf(c.get('caller')),
    skip,
    handler: () => problem(tooManyRequests),
  });
  return async (c, next) => {
    // From now on there is a response whose headers are added to whatever answer comes. Hono would
    // drop those of the limiter from an answer that was not made by its context, as problems are.
    void c.res;
    return limiter(c, next);
  };
}
