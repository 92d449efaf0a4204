import { sign } from 'hono/jwt';
import type { AuthSettings } from '../../src/auth/settings.ts';

export const SECRET = 'a secret of the tests, which nobody else may know';
export const WITH_SECRET: AuthSettings = { kind: 'secret', secret: SECRET };

export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** What a valid token says, with these claims instead of its own or besides. */
export const payloadOf = (role: string, sub: unknown, claims: Record<string, unknown> = {}) => ({
  role,
  sub,
  exp: inSeconds(600),
  ...claims,
});

/** The header that a caller sends, with a token signed with the tests' secret. */
export async function as(role: string, sub: unknown, claims: Record<string, unknown> = {}) {
  return bearer(await sign(payloadOf(role, sub, claims), SECRET, 'HS256'));
}

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
