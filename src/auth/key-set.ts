import { z } from 'zod';

/** Keys that are older are fetched anew by the next token. */
const REFRESH_MS = 5 * 60_000;
/** A key that is withdrawn is trusted no longer than this, even while no fetch succeeds. */
const MAX_AGE_MS = 60 * 60_000;
/** Between two fetches, however many tokens name keys that nobody knows. */
const COOL_DOWN_MS = 10_000;
const TIMEOUT_MS = 3_000;
const LARGEST_SET_BYTES = 100_000;

const keySet = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().optional() })).max(100),
});

export type Key = z.infer<typeof keySet>['keys'][number];

/** No key is known that is young enough, and none can be had: nothing can be said about any token. */
export class KeysUnavailable extends Error {}

/**
 * The public keys that tokens are signed with, kept between requests (RFC 7517, JWK Set). They are
 * fetched anew when they are old, and when a token names one that is not among them: so a new key
 * works at once. Only tokens with such a key wait for that; with the others the known keys do, for
 * an hour.
 */
export class KeySet {
  readonly #url: string;
  readonly #onFailure: (error: unknown) => void;
  #keys: Key[] | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(url: string, onFailure: (error: unknown) => void) {
    this.#url = url;
    this.#onFailure = onFailure;
  }

  /** All keys, this one among them if it can be had. Throws `KeysUnavailable` when none are trusted. */
  async keysWith(kid: string): Promise<Key[]> {
    if (!this.#trusted()?.some((key) => key.kid === kid)) await this.#refresh();
    else if (this.#isOlderThan(REFRESH_MS)) void this.#refresh();
    const keys = this.#trusted();
    if (keys === undefined) throw new KeysUnavailable();
    return keys;
  }

  #trusted(): Key[] | undefined {
    return this.#isOlderThan(MAX_AGE_MS) ? undefined : this.#keys;
  }

  #isOlderThan(ms: number): boolean {
    return Date.now() - this.#fetchedAt >= ms;
  }

  /** Fetches the keys, unless that was tried just now. Whoever asks meanwhile waits for the same. */
  async #refresh(): Promise<void> {
    if (this.#fetching === undefined) {
      if (Date.now() - this.#triedAt < COOL_DOWN_MS) return;
      this.#triedAt = Date.now();
      this.#fetching = this.#fetch();
    }
    await this.#fetching;
  }

  async #fetch(): Promise<void> {
    try {
      this.#keys = await fetchKeys(this.#url);
      this.#fetchedAt = Date.now();
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#fetching = undefined;
    }
  }
}

async function fetchKeys(url: string): Promise<Key[]> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { signal, redirect: 'error' });
  if (!response.ok || response.body === null)
    throw new Error(`the key set was answered with ${response.status}`);
  return keySet.parse(JSON.parse(await boundedText(response.body))).keys;
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
