import { bearing, type TokenSource, Tokens } from './token.ts';

export interface ClientOptions {
  /** The token, or a function that returns the token. */
  token?: TokenSource | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

/**
 * The maximum number of tokens that one request tries. Two tokens are not always enough, because a
 * person may type an old token in place of a new token.
 */
const MOST_TOKENS = 3;

/** Sends requests to one service with the token. Learns the service's time from the answers. */
export class Sender {
  /** The address of the service, without a slash at its end. */
  readonly url: string;
  readonly tokens: Tokens;
  readonly clock = new ServiceClock();
  readonly #fetch: typeof fetch;

  constructor(url: string, { token = '', fetch: given }: ClientOptions) {
    // In a browser, the address may be relative.
    if (!/^(https?:\/\/|[./]|$)/i.test(url))
      throw new TypeError(`The address needs http:// or https://: "${url}"`);
    this.url = url.replace(/\/+$/, '');
    this.tokens = new Tokens(token);
    this.#fetch = given ?? ((...request) => fetch(...request));
  }

  /**
   * Sends a request. After an answer 401, sends the request again with a new token. Throws the
   * errors of `fetch`.
   */
  async send(path: string, init: RequestInit): Promise<Response> {
    let token = await this.tokens.get();
    for (let tokens = 1; ; tokens++) {
      const answer = await this.#sendWith(token, path, init);
      if (answer.status !== 401 || tokens === MOST_TOKENS) return answer;
      const renewed = await this.tokens.renewed(token);
      if (renewed === token) return answer;
      await answer.body?.cancel();
      token = renewed;
    }
  }

  async #sendWith(token: string, path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (token !== '') headers.set('Authorization', bearing(token));
    const sent = Date.now();
    const answer = await this.#fetch(this.url + path, { ...init, headers });
    const date = Date.parse(answer.headers.get('Date') ?? '');
    if (!Number.isNaN(date)) this.clock.hear({ sent, received: Date.now(), date });
    return answer;
  }
}

/**
 * Estimates the service's clock from the dates of its answers. Leases end by the service's clock,
 * and this machine's clock may be wrong by hours. The service made each answer after the request
 * was sent and before the answer arrived. The date of an answer is exact to the second.
 */
export class ServiceClock {
  #atLeast = Number.NEGATIVE_INFINITY;
  #atMost = Number.POSITIVE_INFINITY;

  /** All times are in milliseconds since 1970. `date` is rounded down to the second. */
  hear({ sent, received, date }: { sent: number; received: number; date: number }) {
    const atLeast = date - received;
    const atMost = date + 999 - sent;
    // The limits are for the difference between the two clocks. If the old and the new limits
    // contradict each other, somebody has changed a clock. Then only the new limits count.
    const isNews = atLeast > this.#atMost || atMost < this.#atLeast;
    this.#atLeast = isNews ? atLeast : Math.max(this.#atLeast, atLeast);
    this.#atMost = isNews ? atMost : Math.min(this.#atMost, atMost);
  }

  /**
   * Returns the service's time at the moment `now` of this machine's clock. Before the first
   * answer, returns `now`.
   */
  at(now: number): number {
    const isKnown = Number.isFinite(this.#atLeast);
    return isKnown ? now + (this.#atLeast + this.#atMost) / 2 : now;
  }
}
