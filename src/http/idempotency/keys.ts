import { createHash } from 'node:crypto';

/** An idempotency key, whose it is, and of which request. */
export interface RequestKey {
  caller: string;
  key: string;
  fingerprint: string;
  /** How long its answer is kept. */
  hours: number;
}

/** What was answered, to be answered again byte for byte. */
export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const LONGEST_KEY = 255;

/**
 * The key in an `Idempotency-Key` header; undefined when it is malformed. The draft wants a quoted
 * string (RFC 9651, printable ASCII); most clients send the bare value, which is taken as the same.
 *
 * Source: draft-ietf-httpapi-idempotency-key-header.
 */
export function parseKey(header: string): string | undefined {
  const quoted = header.match(/^"((?:[ !#-[\]-~]|\\["\\])*)"$/)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const bare = header.match(/^[\w.~:/+=@-]+$/)?.[0];
  const key = quoted ?? bare ?? '';
  return key === '' || key.length > LONGEST_KEY ? undefined : key;
}

/** Two requests are the same when their method, address and body are the same, byte for byte. */
export const fingerprintOf = (method: string, address: string, body: Uint8Array): string =>
  createHash('sha256')
    .update(JSON.stringify([method, address]))
    .update(body)
    .digest('hex');
