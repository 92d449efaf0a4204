import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import { describe } from '../../../platform/process/errors.ts';
import type { Log } from '../../../platform/process/log.ts';
import type { AuthSettings } from '../../config/auth.ts';
import { idText } from '../schemas.ts';
import type { Caller } from './caller.ts';
import { KeySet, KeysUnavailable } from './key-set.ts';

type TokenSettings = AuthSettings & { kind: 'secret' | 'jwks' };

/** A token that is not valid. */
export interface RefusedToken {
  /** The reason that the log gets. It contains no part of the token. */
  why: string;
  /** The reason that the token holder gets. Undefined if the reason could help a forger. */
  told?: string | undefined;
}

/** Returns the caller that a token names. */
export type JudgeToken = (token: string) => Promise<Caller | RefusedToken | 'keys unavailable'>;

/**
 * The algorithms that we accept, and the way to find the key of a token. We name the algorithms, so
 * no token can choose a weaker algorithm or no signature.
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
      return error instanceof KeysUnavailable ? 'keys unavailable' : refusedBecause(error);
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
      if (typeof header.kid !== 'string') throw new UnnamedKey();
      return keySet.keyFor(header);
    },
  };
}

/**
 * Returns the refusal for an error of jose. jose checks the signature first. So only the holder of
 * a token that was signed with a trusted key learns these reasons.
 */
function refusedBecause(error: unknown): RefusedToken {
  if (error instanceof z.ZodError) {
    const wrong = error.issues.map(({ path }) => path.join('.') || 'role');
    const isEarly = isFuture(error);
    const why = `these fields are missing or wrong: ${[...new Set(wrong)].join(', ')}`;
    return { why, told: isEarly ? NOT_YET : undefined };
  }
  if (error instanceof errors.JWTExpired) return { why: 'exp is past', told: EXPIRED };
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error;
    const isTold = reason === 'check_failed';
    return { why: `${claim}: ${reason}`, told: isTold ? toldAbout(claim) : undefined };
  }
  if (error instanceof errors.JOSEError) return { why: error.code };
  return { why: error instanceof UnnamedKey ? error.message : 'the token cannot be read' };
}

const EXPIRED = 'The token has expired.';
const NOT_YET = 'The token is not valid yet.';
const toldAbout = (claim: string): string | undefined =>
  ({ nbf: NOT_YET, aud: 'The token is for another audience.' })[claim];

/**
 * The error if the token names no key. jose would accept any key that fits, so we refuse such a
 * token ourselves.
 */
class UnnamedKey extends Error {
  override message = 'the header has no kid';
}

/** A name that is safe to keep and log: no control characters and no broken characters. */
const adminName = z.string().regex(/^\P{C}{1,200}$/u);

/** The message for a time in the future. A time that is not a number has another message. */
const IN_FUTURE = 'is in the future';
const isFuture = ({ issues }: z.ZodError): boolean =>
  issues.every(({ message }) => message === IN_FUTURE);

const times = {
  /**
   * A stolen token without an expiry would be valid for ever. jose checks that `exp` is not past.
   */
  exp: z.number(),
  /** jose always checks `nbf`, but checks `iat` only if a maximum age is set. */
  iat: z
    .number()
    .refine((seconds) => seconds <= Date.now() / 1_000, IN_FUTURE)
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

/** Returns the caller that a verified token names. Throws if the token is malformed. */
function callerOf(verified: unknown): Caller {
  const { role, sub, exp } = verifiedToken.parse(verified).payload;
  const until = exp * 1_000;
  return role === 'admin' ? { role, id: sub, until } : { role, id: sub, until };
}
