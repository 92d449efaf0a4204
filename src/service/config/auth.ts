import { UsageError } from '../../process/errors.ts';

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

/** Whether a host name or an address can only mean this machine. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);

/**
 * Throws a `UsageError` if the service requires no tokens and other machines could use it by
 * mistake.
 */
export function refuseOpenDoor(host: string, auth: AuthSettings) {
  if (auth.kind !== 'loopback' || isLoopback(host)) return;
  throw new UsageError(
    'HOST lets other machines in, but the service requires no tokens. Set AUTH_JWKS_URL or ' +
      'AUTH_JWT_SECRET to require tokens, or AUTH=off to allow everybody to do everything.',
  );
}
