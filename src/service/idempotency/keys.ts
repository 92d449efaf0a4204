import { createHash } from 'node:crypto';

/** An idempotency key, with its caller and its request. */
export interface RequestKey {
  caller: string;
  key: string;
  fingerprint: string;
  /** How many hours the answer is kept. */
  hours: number;
}

/** A stored answer. A repeat gets the same bytes. */
export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const LONGEST_KEY = 255;

/**
 * Returns the key in an `Idempotency-Key` header, or undefined if the header is malformed. The
 * draft requires a quoted string (RFC 9651, printable ASCII). Most clients send the key without
 * quotes, which means the same key.
 *
 * Source: draft-ietf-httpapi-idempotency-key-header.
 */
export function parseKey(header: string): string | undefined {
  const quoted = header.match(/^"((?:[ !#-[\]-~]|\\["\\])*)"$/)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const bare = header.match(/^[\w.~:/+=@-]+$/)?.[0];
  const key = quoted ?? bare ?? '';
  return key === '' || key.length > LONGEST_KEY ? undefined : key;
}

/**
 * Returns the SHA-256 of method, address and body, in hexadecimal digits. Two requests are the same
 * if they have the same fingerprint.
 */
export const fingerprintOf = (method: string, address: string, body: Uint8Array): string =>
  createHash('sha256')
    .update(JSON.stringify([method, address]))
    .update(body)
    .digest('hex');
