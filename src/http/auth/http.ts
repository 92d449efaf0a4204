import type { Context } from 'hono';
import type { Log } from '../../process/log.ts';
import type { Env, Guard } from '../new-routes.ts';
import { problem, RETRY_AFTER } from '../problem.ts';
import { busy, forbidden, unauthorized } from '../problems.ts';
import { ANYBODY } from './caller.ts';
import type { AuthSettings } from './settings.ts';
import { judgeTokens } from './token.ts';

/** Addresses that need no token: health checks, and the API's documentation. */
const OPEN = ['/healthz', '/readyz', '/openapi.json', '/docs', '/docs/*'];

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
 * token.
 */
export function authenticate(settings: AuthSettings, log: Log, isOpen: Question): Guard {
  if (settings.kind === 'loopback' || settings.kind === 'off')
    return (c) => {
      c.set('caller', ANYBODY);
      return undefined;
    };
  const judge = judgeTokens(settings, log);
  return async (c) => {
    if (isOpen(c)) return undefined;
    const token = bearerToken(c.req.header('Authorization'));
    if (token === undefined) return challenge('Bearer');
    const caller = await judge(token);
    if (caller === 'invalid') return challenge('Bearer error="invalid_token"');
    if (caller === 'keys unavailable') return problem(keysUnavailable, {}, RETRY_AFTER);
    c.set('caller', caller);
    return undefined;
  };
}

/** Guards routes that show or change the whole service. Only an admin may use them. */
export const adminOnly: Guard = (c) =>
  c.get('caller').role === 'admin' ? undefined : problem(forbidden);

const bearerToken = (header: string | undefined): string | undefined =>
  header?.match(/^Bearer +(\S.*)$/i)?.[1];

/** The answer does not say which check failed, because a forger would learn from it. */
const challenge = (scheme: string) => problem(unauthorized, {}, { 'WWW-Authenticate': scheme });

const keysUnavailable = {
  ...busy,
  detail: 'The server cannot fetch the keys for checking tokens. Nothing was changed. Try again.',
} as const;
