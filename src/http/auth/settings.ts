import { UsageError } from '../../process/errors.ts';

/** Who is let in. */
export type AuthSettings =
  /** Everybody on this machine: the default. */
  | { kind: 'loopback' }
  /** Everybody who reaches the service, because somebody said so. */
  | { kind: 'off' }
  /** Who has a token signed with this secret (HS256), of at least 32 bytes. */
  | ({ kind: 'secret'; secret: string } & TokenChecks)
  /** Who has a token signed with one of the keys found at this URL. */
  | ({ kind: 'jwks'; url: string } & TokenChecks);

/** What a token has to name besides its bearer, where it is given. */
export interface TokenChecks {
  audience?: string | undefined;
  issuer?: string | undefined;
}

export const asksForTokens = ({ kind }: AuthSettings): boolean =>
  kind === 'secret' || kind === 'jwks';

/** Whether a name or an address, as in HOST or in a URL, can only mean this machine. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);

/** Throws a `UsageError` where others would find a service that asks nobody who they are. */
export function refuseOpenDoor(host: string, auth: AuthSettings) {
  if (auth.kind !== 'loopback' || isLoopback(host)) return;
  throw new UsageError(
    'HOST lets other machines in, and nobody is asked who they are. Set AUTH_JWKS_URL or ' +
      'AUTH_JWT_SECRET to ask for tokens, or AUTH=off to let everybody do everything.',
  );
}
