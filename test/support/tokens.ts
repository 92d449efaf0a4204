import { type JWTPayload, SignJWT } from 'jose';
import type { AuthSettings } from '../../src/service/config/auth.ts';

export const SECRET = 'a secret of the tests, which nobody else may know';
export const WITH_SECRET: AuthSettings = { kind: 'secret', secret: SECRET };

export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** Returns the payload of a valid token. `claims` adds or replaces fields. */
export const payloadOf = (role: string, sub: unknown, claims: Record<string, unknown> = {}) => ({
  role,
  sub,
  exp: inSeconds(600),
  ...claims,
});

/** Returns the `Authorization` header of a caller. The token is signed with the tests' secret. */
export async function as(role: string, sub: unknown, claims: Record<string, unknown> = {}) {
  return bearer(await signedWith(SECRET, payloadOf(role, sub, claims)));
}

/** Returns a token with these claims, signed with a secret. The claims may be invalid. */
export const signedWith = (secret: string, claims: Record<string, unknown>, alg = 'HS256') =>
  sign(claims, Buffer.from(secret), { alg });

/** Returns a token with these claims, signed with a key. The claims may be invalid. */
export const sign = (
  claims: Record<string, unknown>,
  key: Parameters<SignJWT['sign']>[0],
  header: { alg: string; [name: string]: unknown },
) => new SignJWT(claims as JWTPayload).setProtectedHeader({ typ: 'JWT', ...header }).sign(key);

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
