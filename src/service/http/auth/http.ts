import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import type { Log } from '../../../platform/process/log.ts';
import type { AuthSettings } from '../../config/auth.ts';
import { networkOf } from '../network.ts';
import { type Env, type Guard, requestIdOf } from '../new-routes.ts';
import { problem, RETRY_AFTER } from '../problem.ts';
import { busy, forbidden, tooManyRequests, unauthorized } from '../problems.ts';
import { ANYBODY, SCRAPER } from './caller.ts';
import { judgeTokens } from './token.ts';
import { TokenLimit } from './token-limit.ts';

/** Addresses that need no token: health checks, the API's documentation, and pages of problems. */
const OPEN = [
  ...['/healthz', '/readyz', '/openapi.json'],
  ...['/docs', '/docs/*', '/problems', '/problems/*'],
];

export type Question = (c: Context<Env>) => boolean;

/**
 * Returns a function that checks whether a request needs no token. `pages` are further open
 * addresses. An address that ends with `*` is a folder. Pages may be open, because they contain no
 * data. Their scripts request data with a token, like every client.
 */
export function opensFor(pages: readonly string[]): Question {
  const all = [...OPEN, ...pages];
  const paths = new Set(all.filter((each) => !each.endsWith('*')));
  const folders = all.filter((each) => each.endsWith('*')).map((each) => each.slice(0, -1));
  return ({ req: { method, path } }) =>
    ['GET', 'HEAD'].includes(method) &&
    (paths.has(path) || folders.some((folder) => path.startsWith(folder)));
}

export interface AuthenticateOptions {
  isOpen: Question;
  /** A token that opens the metrics, and no other address. */
  metricsToken?: string | undefined;
  /** How many invalid tokens a network may send each minute. 0 means any number. */
  rateLimit?: number | undefined;
}

/**
 * Finds the caller of a request. If the settings require tokens, refuses requests without a valid
 * token.
 */
export function authenticate(
  settings: AuthSettings,
  log: Log,
  { isOpen, metricsToken, rateLimit = 0 }: AuthenticateOptions,
): Guard {
  if (settings.kind === 'loopback' || settings.kind === 'off')
    return (c) => {
      c.set('caller', ANYBODY);
      return undefined;
    };
  const judge = judgeTokens(settings, log);
  const isScraper = scraperWith(metricsToken);
  const limit = new TokenLimit(rateLimit);
  return async (c) => {
    if (isOpen(c)) return undefined;
    const token = bearerToken(c.req.header('Authorization'));
    if (token === undefined) return problem(unauthorized, {}, { 'WWW-Authenticate': 'Bearer' });
    if (isScraper(c, token)) {
      c.set('caller', SCRAPER);
      return undefined;
    }
    const network = networkOf(c);
    const wait = limit.waitOf(network, token);
    if (wait > 0) return problem(tooManyInvalid, {}, { 'Retry-After': `${wait}` });
    const caller = await judge(token);
    if (caller === 'keys unavailable') return problem(keysUnavailable, {}, RETRY_AFTER);
    if ('why' in caller) {
      const { why, told } = caller;
      limit.noteInvalid(network, token);
      log.debug({ event: 'token refused', requestId: requestIdOf(c), why });
      return refuse(told);
    }
    limit.noteValid(token);
    c.set('caller', caller);
    return undefined;
  };
}

const tooManyInvalid = {
  ...tooManyRequests,
  detail:
    'Your network has sent too many tokens that are not valid. Wait as many seconds as Retry-After says.',
} as const;

/** Returns a function that checks whether a request is for the metrics and has their token. */
function scraperWith(expected: string | undefined) {
  if (expected === undefined) return () => false;
  // All digests have the same length. So comparing them takes the same time for every token.
  const digest = (token: string) => createHash('sha256').update(token).digest();
  const wanted = digest(expected);
  return ({ req: { method, path } }: Context<Env>, token: string): boolean =>
    path === '/metrics' &&
    ['GET', 'HEAD'].includes(method) &&
    timingSafeEqual(digest(token), wanted);
}

/** Guards routes that show or change the whole service. Only an admin may use them. */
export const adminOnly: Guard = (c) =>
  c.get('caller').role === 'admin' ? undefined : problem(forbidden);

const bearerToken = (header: string | undefined): string | undefined =>
  header?.match(/^Bearer +(\S.*)$/i)?.[1];

/** Answers a refused token as RFC 6750 says. `told` is the reason. */
const refuse = (told = 'The token is not valid.') =>
  problem(
    { ...unauthorized, detail: `${told} ${unauthorized.detail}` },
    {},
    { 'WWW-Authenticate': `Bearer error="invalid_token", error_description="${told}"` },
  );

const keysUnavailable = {
  ...busy,
  detail: 'The server cannot fetch the keys for checking tokens. Nothing was changed. Try again.',
} as const;
