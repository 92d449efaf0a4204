import { type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import { describe } from '../../process/errors.ts';
import type { Log } from '../../process/log.ts';
import { idText } from '../schemas.ts';
import type { Caller } from './caller.ts';
import { KeySet, KeysUnavailable } from './key-set.ts';
import type { AuthSettings } from './settings.ts';

type TokenSettings = AuthSettings & { kind: 'secret' | 'jwks' };

/** Returns the caller that a token names. The result does not tell which check failed. */
export type JudgeToken = (token: string) => Promise<Caller | 'invalid' | 'keys unavailable'>;

/**
 * The accepted algorithms for signing tokens. No token can choose a weaker algorithm or no
 * signature.
 */
interface Signing {
  algorithms: string[];
  keyFor: JWTVerifyGetKey;
}

export function judgeTokens(settings: TokenSettings, log: Log): JudgeToken {
  const { audience, issuer } = settings;
  const { algorithms, keyFor } =
    settings.kind === 'secret' ? bySecret(settings.secret) : byKeySet(settings.url, log);
  return async (token) => {
    try {
      return callerOf(await jwtVerify(token, keyFor, { algorithms, audience, issuer }));
    } catch (error) {
      return error instanceof KeysUnavailable ? 'keys unavailable' : 'invalid';
    }
  };
}

function bySecret(secret: string): Signing {
  // We import the secret once. Passing its bytes with each token costs twice as much.
  const key = crypto.subtle.importKey(
    'raw',
    Buffer.from(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  return { algorithms: ['HS256'], keyFor: () => key };
}

function byKeySet(url: string, log: Log): Signing {
  const keySet = new KeySet(url, (error) =>
    log.error({ event: 'key set not fetched', error: describe(error) }),
  );
  return {
    algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    keyFor: (header) => {
      // Without a key name in the token, jose would accept any key that fits.
      if (typeof header.kid !== 'string') throw new Error('the token names no key');
      return keySet.keyFor(header);
    },
  };
}

/** A name that is safe to keep and log: no control characters and no broken characters. */
const adminName = z.string().regex(/^\P{C}{1,200}$/u);

const times = {
  /**
   * A stolen token without an expiry would be valid for ever. jose checks that `exp` is not past.
   */
  exp: z.number(),
  /** jose always checks `nbf`. It checks `iat` only if a maximum age is set. */
  iat: z
    .number()
    .refine((seconds) => seconds <= Date.now() / 1_000)
    .optional(),
};

/** The checks that jose does not make. */
const verifiedToken = z.object({
  protectedHeader: z.object({
    // Accept any JWT or access token (RFC 9068). No standard requires a type.
    typ: z
      .string()
      .regex(/^(application\/)?(at\+)?jwt$/i)
      .optional(),
  }),
  payload: z.discriminatedUnion('role', [
    z.object({ role: z.literal('recruiter'), sub: idText, ...times }),
    z.object({ role: z.literal('company'), sub: idText, ...times }),
    z.object({ role: z.literal('admin'), sub: adminName, ...times }),
  ]),
});

/** The caller named by a verified token. Throws if the token is malformed. */
function callerOf(verified: unknown): Caller {
  const { role, sub, exp } = verifiedToken.parse(verified).payload;
  const until = exp * 1_000;
  return role === 'admin' ? { role, id: sub, until } : { role, id: sub, until };
}
