import type { Context } from 'hono';
import type { Log } from '../../process/log.ts';
import type { Env, Guard } from '../new-routes.ts';
import { problem, RETRY_AFTER } from '../problem.ts';
import { busy, forbidden, unauthorized } from '../problems.ts';
import { ANYBODY } from './caller.ts';
import type { AuthSettings } from './settings.ts';
import { judgeTokens } from './token.ts';

/**
 * What may be read without a token: whether the service is well, how it is called, and the pages,
 * which hold nothing of what it knows: they ask for that as everybody does.
 */
const OPEN_PATHS = ['/healthz', '/readyz', '/openapi.json', '/docs', '/', '/lab'];
const OPEN_FOLDERS = ['/docs/', '/web/'];

export const isOpen = ({ req }: Context<Env>): boolean =>
  ['GET', 'HEAD'].includes(req.method) &&
  (OPEN_PATHS.includes(req.path) || OPEN_FOLDERS.some((each) => req.path.startsWith(each)));

/** Whether it asks how the service is: that is answered while it drains, and however often. */
export const isAboutService = (c: Context<Env>): boolean => isOpen(c) || c.req.path === '/metrics';

/** Finds out who asks, and lets in only those who say so with a valid token. */
export function authenticate(settings: AuthSettings, log: Log): Guard {
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
