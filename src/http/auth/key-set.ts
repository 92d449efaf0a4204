import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type JWK,
  type JWTHeaderParameters,
  type LocalJWKSet,
} from 'jose';
import { z } from 'zod';

/** The first token after this age has the keys fetched anew. */
const REFRESH_MS = 5 * 60_000;
/** A withdrawn key is trusted no longer than this, even while no fetch succeeds. */
const MAX_AGE_MS = 60 * 60_000;
/** Between two fetches, however many tokens name unknown keys. */
const COOL_DOWN_MS = 10_000;
const TIMEOUT_MS = 3_000;
const LARGEST_SET_BYTES = 100_000;

/** jose ignores malformed keys (RFC 7517, section 5). It refuses a set in which a key is no object. */
const keySet = z.object({ keys: z.array(z.custom<JWK>()).max(100) });

/** No known key is young enough, and no fetch succeeds: no token can be judged. */
export class KeysUnavailable extends Error {}

/**
 * The public keys that tokens are signed with, kept between requests (RFC 7517, JWK Set). A fetch
 * begins when the keys are old, and when a token names an unknown key: so a new key works at once.
 * A token waits for a fetch only if its key is unknown, or if no key is younger than an hour.
 *
 * jose's own `createRemoteJWKSet` measures ages by the wall clock: while that clock is set back,
 * withdrawn keys stay trusted. `performance.now` only goes forward.
 */
export class KeySet {
  readonly #url: string;
  readonly #onFailure: (error: unknown) => void;
  #keys: LocalJWKSet | undefined;
  /** When the last fetch began that succeeded: the keys may have changed since then. */
  #knownSince = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(url: string, onFailure: (error: unknown) => void) {
    this.#url = url;
    this.#onFailure = onFailure;
  }

  /**
   * The key that the header of a token names. Throws `KeysUnavailable` when no key is trusted, and
   * an error of jose when the trusted keys hold no such key.
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

  /** Fetches the keys, unless the last try was just now. All callers share one fetch. */
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

/** Whether another fetch may bring the key. */
const isMissing = (error: unknown): boolean =>
  error instanceof KeysUnavailable || error instanceof errors.JWKSNoMatchingKey;

/** The first key counts if several keys have the same name and fit. */
async function firstOfSeveral(error: unknown): Promise<CryptoKey> {
  if (error instanceof errors.JWKSMultipleMatchingKeys) for await (const key of error) return key;
  throw error;
}

async function fetchKeys(url: string): Promise<LocalJWKSet> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { signal, redirect: 'error' });
  if (!response.ok || response.body === null) {
    // A body that nobody reads keeps its connection.
    await response.body?.cancel();
    throw new Error(`the key set was answered with ${response.status}`);
  }
  // In Node 20 and 22, fetch forgets its signal after a garbage collection. A body without an end
  // then held all tokens with an unknown key for ever, so the pipe gets the signal as well.
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
