import { UsageError } from '../../platform/process/errors.ts';
import type { Settings } from './settings.ts';

/** Who may use the service. */
export type AuthSettings =
  /** Everybody on this machine. This is the default. */
  | { kind: 'loopback' }
  /** Everybody who can reach the service, because the operator chose so. */
  | { kind: 'off' }
  /** Everybody with a token signed with this secret (HS256). The secret has at least 32 bytes. */
  | ({ kind: 'secret'; secret: string } & TokenChecks)
  /** Everybody with a token signed with one of the keys at this URL. */
  | ({ kind: 'jwks'; url: string } & TokenChecks);

/** The audience and the issuer that a token must name, if they are set. */
export interface TokenChecks {
  audience?: string | undefined;
  issuer?: string | undefined;
}

export const asksForTokens = ({ kind }: AuthSettings): boolean =>
  kind === 'secret' || kind === 'jwks';

/** Returns whether a host name or an address can only mean this machine. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);

/**
 * Throws a `UsageError` if the service requires no tokens and other machines can reach the service.
 * Does not throw if the operator has set AUTH=off.
 */
export function refuseOpenDoor(host: string, auth: AuthSettings) {
  if (auth.kind !== 'loopback' || isLoopback(host)) return;
  throw new UsageError(
    'HOST lets other machines in, but the service requires no tokens. Set AUTH_JWKS_URL or ' +
      'AUTH_JWT_SECRET to require tokens, or AUTH=off to allow everybody to do everything.',
  );
}

/** Reads who may use the service. Throws a `UsageError` if settings contradict each other. */
export function authSettings(env: Settings): AuthSettings {
  const { AUTH, AUTH_JWKS_URL: url, AUTH_JWT_SECRET: secret, AUTH_AUDIENCE, AUTH_ISSUER } = env;
  const checks = { audience: AUTH_AUDIENCE, issuer: AUTH_ISSUER };
  if (AUTH === 'off' && (url ?? secret) !== undefined)
    throw new UsageError(
      'AUTH=off contradicts AUTH_JWKS_URL and AUTH_JWT_SECRET. Unset AUTH, or unset the others.',
    );
  if (url !== undefined && secret !== undefined)
    throw new UsageError(
      'AUTH_JWKS_URL and AUTH_JWT_SECRET exclude each other. Unset one of them.',
    );
  if (url !== undefined) return { kind: 'jwks', url, ...checks };
  if (secret !== undefined) return { kind: 'secret', secret, ...checks };
  if ((AUTH_AUDIENCE ?? AUTH_ISSUER) !== undefined)
    throw new UsageError(
      'AUTH_AUDIENCE and AUTH_ISSUER are checked in tokens, but the service requires no tokens. ' +
        'Set AUTH_JWKS_URL or AUTH_JWT_SECRET, or unset AUTH_AUDIENCE and AUTH_ISSUER.',
    );
  return { kind: AUTH === 'off' ? 'off' : 'loopback' };
}
