import type { Context } from 'hono';
import type { Log } from '../../process/log.ts';
import type { Env, Guard } from '../new-routes.ts';
import { problem, RETRY_AFTER } from '../problem.ts';
import { busy, forbidden, unauthorized } from '../problems.ts';
import { ANYBODY } from './caller.ts';
import type { AuthSettings } from './settings.ts';
import { judgeTokens } from './token.ts';

/** Everybody may read these without a token: whether the service is well, and how to call it. */
const OPEN = ['/healthz', '/readyz', '/openapi.json', '/docs', '/docs/*'];

export type Question = (c: Context<Env>) => boolean;

/**
 * Whether a request needs no token. `pages` are more open addresses; one that ends with `*` is a
 * folder. Pages hold no data: they ask for the data as everybody does.
 */
export function opensFor(pages: readonly string[]): Question {
  const all = [...OPEN, ...pages];
  const paths = new Set(all.filter((each) => !each.endsWith('*')));
  const folders = all.filter((each) => each.endsWith('*')).map((each) => each.slice(0, -1));
  return ({ req: { method, path } }) =>
    ['GET', 'HEAD'].includes(method) &&
    (paths.has(path) || folders.some((folder) => path.startsWith(folder)));
}

/** Finds out who asks, and lets in only those who say so with a valid token. */
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

/** For what shows the whole service or plays with it. */
export const adminOnly: Guard = (c) =>
  c.get('caller').role === 'admin' ? undefined : problem(forbidden);

const bearerToken = (header: string | undefined): string | undefined =>
  header?.match(/^Bearer +(\S.*)$/i)?.[1];

/** Which check failed is not said: it would tell a forger what to mend. */
const challenge = (scheme: string) => problem(unauthorized, {}, { 'WWW-Authenticate': scheme });

const keysUnavailable = {
  ...busy,
  detail:
    'The keys that tokens are checked with cannot be fetched. Nothing was changed: ask again.',
} as const;
