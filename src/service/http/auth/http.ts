import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import type { Log } from '../../process/log.ts';
import { type Env, type Guard, requestIdOf } from '../new-routes.ts';
import { problem, RETRY_AFTER } from '../problem.ts';
import { busy, forbidden, unauthorized } from '../problems.ts';
import { ANYBODY, SCRAPER } from './caller.ts';
import type { AuthSettings } from './settings.ts';
import { judgeTokens } from './token.ts';

/** Addresses that need no token: health checks, the API's documentation, and pages of problems. */
const OPEN = [
  ...['/healthz', '/readyz', '/openapi.json'],
  ...['/docs', '/docs/*', '/problems', '/problems/*'],
];

export type Question = (c: Context<Env>) => boolean;

/**
 * Returns a function that tells whether a request needs no token. `pages` are further open
 * addresses. An address that ends with `*` is a folder. Pages contain no data. Their scripts
 * request data with a token, like every client.
 */
export function opensFor(pages: readonly string[]): Question {
  const all = [...OPEN, ...pages];
  const paths = new Set(all.filter((each) => !each.endsWith('*')));
  const folders = all.filter((each) => each.endsWith('*')).map((each) => each.slice(0, -1));
  return ({ req: { method, path } }) =>
    ['GET', 'HEAD'].includes(method) &&
    (paths.has(path) || folders.some((folder) => path.startsWith(folder)));
}

/**
 * Finds the caller of a request. If the settings require tokens, refuses requests without a valid
 * token. `metricsToken` opens the metrics, and no other address.
 */
export function authenticate(
  settings: AuthSettings,
  log: Log,
  isOpen: Question,
  metricsToken?: string,
): Guard {
  if (settings.kind === 'loopback' || settings.kind === 'off')
    return (c) => {
      c.set('caller', ANYBODY);
      return undefined;
    };
  const judge = judgeTokens(settings, log);
  const isScraper = scraperWith(metricsToken);
  return async (c) => {
    if (isOpen(c)) return undefined;
    const token = bearerToken(c.req.header('Authorization'));
    if (token === undefined) return problem(unauthorized, {}, { 'WWW-Authenticate': 'Bearer' });
    if (isScraper(c, token)) {
      c.set('caller', SCRAPER);
      return undefined;
    }
    const caller = await judge(token);
    if (caller === 'keys unavailable') return problem(keysUnavailable, {}, RETRY_AFTER);
    if ('why' in caller) {
      const { why, told } = caller;
      log.debug({ event: 'token refused', requestId: requestIdOf(c), why });
      return refuse(told);
    }
    c.set('caller', caller);
    return undefined;
  };
}

/** Tells whether a request is for the metrics, and has their token. */
function scraperWith(expected: string | undefined) {
  if (expected === undefined) return () => false;
  // All digests have the same length, and to compare them takes the same time for every token.
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

/** The answer to a refused token, as RFC 6750 defines it. `told` is the reason. */
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
