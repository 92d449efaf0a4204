/**
 * The token of the client, or a function that returns the token. The client calls the function
 * before its first request, and again after an answer 401. After a 401, `refused` is the refused
 * token. An empty token is not sent.
 */
export type TokenSource =
  | string
  | ((refused?: string) => string | undefined | Promise<string | undefined>);

/** Wraps an error of the function that returns the token. */
export class NoToken extends Error {}

/**
 * Keeps the token between requests. Requests that need a new token at the same time share one new
 * token.
 */
export class Tokens {
  readonly #source: TokenSource;
  #asked: Promise<string> | undefined;

  constructor(source: TokenSource) {
    this.#source = source;
  }

  get(): Promise<string> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  /** Forgets the token, so the next request asks for the token again. */
  forget() {
    this.#asked = undefined;
  }

  /**
   * Returns the token to use after the service has refused `refused`. This may be the same token.
   */
  async renewed(refused: string): Promise<string> {
    const before = this.#asked;
    // Another request may have asked for a new token meanwhile.
    if ((await this.get()) === refused && this.#asked === before) this.#asked = this.#ask(refused);
    return this.get();
  }

  async #ask(refused?: string): Promise<string> {
    try {
      const source = this.#source;
      return (typeof source === 'string' ? source : await source(refused)) ?? '';
    } catch (error) {
      // The next request asks for the token again.
      this.#asked = undefined;
      throw new NoToken('There is no token.', { cause: error });
    }
  }
}

/**
 * Characters that a header must not contain, such as the … of a partly copied token. No valid token
 * has such characters.
 */
const UNSENDABLE = /[^\x21-\x7e]/g;

export const bearing = (token: string): string => `Bearer ${token.replaceAll(UNSENDABLE, '?')}`;

/**
 * Reads the role and the id in a token without checking the token, because only the service checks
 * tokens. Returns an empty object for a payload that has no fields, for example `null`.
 */
export function bearerOf(token: string): { role?: string; sub?: string } {
  try {
    const [, payload = ''] = token.split('.');
    return Object(JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))));
  } catch {
    return {};
  }
}
