import type { Context, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { rateLimiter } from 'hono-rate-limiter';
import { isLoopback } from '../../config/auth.ts';
import { nameOf } from '../auth/caller.ts';
import type { Question } from '../auth/http.ts';
import { type Env, type Guard, isWriting, requestIdOf } from '../new-routes.ts';
import { problem } from '../problem.ts';
import { crossSiteRefused, tooManyRequests } from '../problems.ts';
import { isCrossSite, nameIn } from './cross-site.ts';
import { CommonResponse, HEADERS } from './response.ts';

type Middleware = MiddlewareHandler<Env>;

/** The maximum number of bytes of a body. The largest bodies are experiments of the sandbox. */
export const BODY_LIMIT_BYTES = 10_000;

/**
 * Adds the common headers to every answer, and reports how long the answer took. An async function
 * here would use 400 bytes more for every waiting claim.
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
 * Refuses requests whose Host is not a loopback name. Otherwise the owner of a hostile web page
 * could make the page's name point to our address (DNS rebinding). The browser would then treat the
 * page and this service as one site.
 */
export function byLoopbackNameOnly(): Guard {
  // We remember the last accepted Host. Parsing a host name takes 8 µs, and nearly all requests use
  // the same name.
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
  detail: 'Only this machine may use this service. Use the address localhost. Nothing was changed.',
} as const;

const PREFLIGHT_IS_GOOD_FOR_S = 600;

/**
 * Allows pages of these origins to read our answers. The answer to a preflight of another page
 * gives no permission, and `onRefused` is called.
 */
export function crossOrigin(
  origins: readonly string[],
  onRefused: (origin: string) => void,
): Middleware {
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
      // Pages need the time of the service, because leases end by this clock.
      'Date',
    ],
    maxAge: PREFLIGHT_IS_GOOD_FOR_S,
  });
  // Hono treats every OPTIONS request as a preflight. If an OPTIONS request is no preflight, we
  // pass the request to the routes, and the routes refuse it.
  return async (c, next) => {
    if (c.req.method !== 'OPTIONS') return allow(c, next);
    if (!c.req.header('Access-Control-Request-Method')) return next();
    const origin = c.req.header('Origin');
    if (origin !== undefined && !origins.includes(origin)) onRefused(origin);
    return allow(c, next);
  };
}

/**
 * Calls `onRefused` for each request of a page of another site, unless the page's origin is
 * allowed. The service answers a request that only reads, but the browser keeps the answer from the
 * page.
 */
export function noteRefusedOrigins(
  origins: readonly string[],
  onRefused: (origin: string) => void,
): Guard {
  const refuse = refuseOtherSites(origins);
  return (c) => {
    const origin = c.req.header('Origin');
    if (origin !== undefined && !origins.includes(origin) && refuse(c)) onRefused(origin);
    return undefined;
  };
}

/** Refuses each writing request of a page of another site, unless the page's origin is allowed. */
export function refuseCrossSite(origins: readonly string[]): Guard {
  const refuse = refuseOtherSites(origins);
  return (c) => (isWriting(c) ? refuse(c) : undefined);
}

/** Refuses all requests that a page of another site made, unless the page's origin is allowed. */
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
 * Allows each caller `limit` requests a minute. Requests that `skip` accepts do not count.
 * Remembers the callers of the last two minutes. Only callers with a valid token are remembered, so
 * strangers cannot fill the memory.
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
    // Reading `res` makes a response. The limiter sets its headers on this response, and Hono
    // copies them to the later answer. Without this line, Hono would drop the limiter's headers
    // from problems, because `problem` does not use the context.
    void c.res;
    return limiter(c, next);
  };
}
