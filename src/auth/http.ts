import type { Context } from 'hono';
import { decode, verify, verifyWithJwks } from 'hono/jwt';
import { describe } from '../errors.ts';
import type { Env, Guard } from '../http.ts';
import type { Log } from '../log.ts';
import { problem, RETRY_AFTER } from '../problem.ts';
import { busy, forbidden, unauthorized } from '../problems.ts';
import { ANYBODY, type Caller } from './caller.ts';
import { KeySet, KeysUnavailable } from './key-set.ts';
import type { AuthSettings } from './settings.ts';
import { callerOf } from './token.ts';

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

/** Only these, so that no token chooses a weaker way, or none, by which it is checked. */
const ASYMMETRIC = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

/** What a token may say it is, where it says so: any JWT, or an access token (RFC 9068). */
const TYPES = ['JWT', 'at+jwt'];

/** The payload of a token that is genuine and valid now. Throws for any other. */
type Verify = (token: string) => Promise<unknown>;

/** Finds out who asks, and lets in only those who say so with a valid token. */
export function authenticate(settings: AuthSettings, log: Log): Guard {
  if (settings.kind === 'loopback' || settings.kind === 'off')
    return (c) => {
      c.set('caller', ANYBODY);
      return undefined;
    };
  const verifyToken = settings.kind === 'secret' ? withSecret(settings) : withKeys(settings, log);
  return async (c) => {
    if (isOpen(c)) return undefined;
    const token = bearerToken(c.req.header('Authorization'));
    if (token === undefined) return challenge('Bearer');
    const caller = await judge(token, verifyToken);
    if (caller === undefined) return challenge('Bearer error="invalid_token"');
    if (caller === 'not known') return problem(keysUnavailable, {}, RETRY_AFTER);
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

async function judge(
  token: string,
  verifyToken: Verify,
): Promise<Caller | 'not known' | undefined> {
  try {
    return callerOf(await verifyToken(token));
  } catch (error) {
    return error instanceof KeysUnavailable ? 'not known' : undefined;
  }
}

/** What a token that is not verified yet says of how it is to be. Throws for what is no token. */
function headerOf(token: string) {
  const { kid, typ } = decode(token).header as { kid?: unknown; typ?: unknown };
  // Hono requires a type as soon as it is given a list of them; no standard does.
  return { kid, types: typ === undefined ? undefined : TYPES };
}

function withSecret(settings: AuthSettings & { kind: 'secret' }): Verify {
  const { secret, audience: aud, issuer: iss } = settings;
  // Given as text, a secret that contains "PUBLIC" or "PRIVATE" would be taken for a PEM file.
  const key = crypto.subtle.importKey(
    'raw',
    Buffer.from(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  return async (token) => {
    const { types } = headerOf(token);
    return verify(token, await key, { alg: 'HS256', aud, iss, typ: types });
  };
}

function withKeys(settings: AuthSettings & { kind: 'jwks' }, log: Log): Verify {
  const { url, audience: aud, issuer: iss } = settings;
  const keySet = new KeySet(url, (error) =>
    log.error({ event: 'key set not fetched', error: describe(error) }),
  );
  return async (token) => {
    const { kid, types } = headerOf(token);
    if (typeof kid !== 'string') return undefined;
    const keys = await keySet.keysWith(kid);
    return verifyWithJwks(token, {
      keys,
      allowedAlgorithms: ASYMMETRIC,
      verification: { aud, iss, typ: types },
    });
  };
}
