import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type JWK,
  type JWTHeaderParameters,
  type LocalJWKSet,
} from 'jose';
import { z } from 'zod';

/** The first token after this time starts a new fetch of the keys. */
const REFRESH_MS = 5 * 60_000;
/** A withdrawn key is trusted for at most this time, even if no fetch succeeds. */
const MAX_AGE_MS = 60 * 60_000;
/** The shortest time between two fetches, even if many tokens name unknown keys. */
const COOL_DOWN_MS = 10_000;
const TIMEOUT_MS = 3_000;
const LARGEST_SET_BYTES = 100_000;

/**
 * This schema does not check the keys themselves. jose ignores malformed keys (RFC 7517, section
 * 5), and refuses a set in which a key is not an object.
 */
const keySet = z.object({ keys: z.array(z.custom<JWK>()).max(100) });

/** The error if all known keys are too old and no fetch succeeds. Then no token can be checked. */
export class KeysUnavailable extends Error {}

/**
 * The public keys for checking tokens (RFC 7517, JWK Set), kept between requests. A token starts a
 * fetch if the keys are old, or if the token names an unknown key. So a new key works within about
 * ten seconds. A token waits for a fetch only if its key is unknown, or if all keys are older than
 * an hour.
 *
 * jose's own `createRemoteJWKSet` measures ages by the wall clock. If that clock is set back,
 * withdrawn keys stay trusted. `performance.now` never goes back.
 */
export class KeySet {
  readonly #url: string;
  readonly #onFailure: (error: unknown) => void;
  #keys: LocalJWKSet | undefined;
  /** When the last successful fetch began. The keys may have changed since then. */
  #knownSince = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(url: string, onFailure: (error: unknown) => void) {
    this.#url = url;
    this.#onFailure = onFailure;
  }

  /**
   * Returns the key that a token's header names. Throws `KeysUnavailable` if no key is trusted.
   * Throws an error of jose if the trusted keys do not include this key.
   */
  async keyFor(header: JWTHeaderParameters): Promise<CryptoKey> {
    if (this.#isOlderThan(REFRESH_MS)) void this.#refresh();
    try {
      return await this.#trustedKey(header);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    await this.#refresh();
    return this.#trustedKey(header);
  }

  async #trustedKey(header: JWTHeaderParameters): Promise<CryptoKey> {
    if (this.#keys === undefined || this.#isOlderThan(MAX_AGE_MS)) throw new KeysUnavailable();
    return this.#keys(header).catch(firstOfSeveral);
  }

  #isOlderThan(ms: number): boolean {
    return performance.now() - this.#knownSince >= ms;
  }

  /** Fetches the keys, unless the last attempt is too recent. All callers share one fetch. */
  async #refresh(): Promise<void> {
    if (this.#fetching === undefined) {
      if (performance.now() - this.#triedAt < COOL_DOWN_MS) return;
      this.#triedAt = performance.now();
      this.#fetching = this.#fetch(this.#triedAt);
    }
    await this.#fetching;
  }

  async #fetch(beganAt: number): Promise<void> {
    try {
      this.#keys = await fetchKeys(this.#url);
      this.#knownSince = beganAt;
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#fetching = undefined;
    }
  }
}

/** Returns whether another fetch may find the key. */
const isMissing = (error: unknown): boolean =>
  error instanceof KeysUnavailable || error instanceof errors.JWKSNoMatchingKey;

/** Returns the first key if several keys have the same name and fit the token. */
async function firstOfSeveral(error: unknown): Promise<CryptoKey> {
  if (error instanceof errors.JWKSMultipleMatchingKeys) for await (const key of error) return key;
  throw error;
}

async function fetchKeys(url: string): Promise<LocalJWKSet> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { signal, redirect: 'error' });
  if (!response.ok || response.body === null) {
    // An unread body would keep its connection open.
    await response.body?.cancel();
    throw new Error(`the key set was answered with ${response.status}`);
  }
  // In Node 20 and 22, fetch forgets its signal after a garbage collection. Then an endless body
  // made all tokens with an unknown key wait for ever. So the pipe gets the signal too.
  const body = response.body.pipeThrough(new TransformStream(), { signal });
  return createLocalJWKSet(keySet.parse(JSON.parse(await boundedText(body))));
}

async function boundedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > LARGEST_SET_BYTES) throw new Error('the key set is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
