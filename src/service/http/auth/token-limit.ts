import { hash } from 'node:crypto';

const MINUTE_MS = 60_000;
/**
 * The maximum number of networks to remember. An attacker who has more networks cannot be stopped
 * by a limit for each network.
 */
const MOST_NETWORKS = 10_000;
/** The maximum number of digests to remember. A digest takes about 100 bytes. */
const MOST_TOKENS = 10_000;

/**
 * Limits how many invalid tokens of each network are checked, because each check verifies a
 * signature.
 *
 * All clients behind a proxy share a network. A client that sends invalid tokens without end must
 * not lock out the other clients:
 * - A token that was valid is remembered. A remembered token is always checked.
 * - A new token is refused only while the network is over its limit. The network regains its checks
 *   evenly. With a limit of 1,200 a minute, the network regains one check each 50 ms. So a new
 *   valid token is accepted after some attempts.
 */
export class TokenLimit {
  readonly #forgivesMs: number;
  readonly #now: () => number;
  /** The time at which all invalid tokens of the network are forgiven. */
  readonly #forgivenAt = new Map<string, number>();
  /**
   * The digests of valid tokens. We keep digests, so that we keep no tokens. The most recently used
   * token comes last.
   */
  readonly #valid = new Set<string>();

  /** If `aMinute` is 0, networks may send any number of invalid tokens. */
  constructor(aMinute: number, now: () => number = () => performance.now()) {
    this.#forgivesMs = aMinute === 0 ? 0 : MINUTE_MS / aMinute;
    this.#now = now;
  }

  /**
   * Returns how many seconds the network must wait before this token is checked, or 0 if no wait is
   * needed.
   */
  waitOf(network: string, token: string): number {
    const forgivenAt = (this.#forgivenAt.get(network) ?? 0) + this.#forgivesMs;
    const waitMs = Math.round(forgivenAt - MINUTE_MS - this.#now());
    return waitMs <= 0 || this.#valid.has(digestOf(token)) ? 0 : Math.ceil(waitMs / 1_000);
  }

  noteValid(token: string) {
    if (this.#forgivesMs === 0) return;
    const digest = digestOf(token);
    this.#valid.delete(digest);
    this.#valid.add(digest);
    dropFirst(this.#valid, MOST_TOKENS);
  }

  noteInvalid(network: string, token: string) {
    if (this.#forgivesMs === 0) return;
    this.#valid.delete(digestOf(token));
    const now = this.#now();
    const before = Math.max(now, this.#forgivenAt.get(network) ?? 0);
    // Many tokens may be checked at the same time. Even then nobody waits for more than a minute.
    const latest = now + 2 * MINUTE_MS - this.#forgivesMs;
    const forgivenAt = Math.min(before + this.#forgivesMs, latest);
    this.#forgivenAt.delete(network);
    this.#forgivenAt.set(network, forgivenAt);
    dropFirst(this.#forgivenAt, MOST_NETWORKS);
  }
}

const digestOf = (token: string): string => hash('sha256', token, 'base64');

function dropFirst(entries: Set<string> | Map<string, unknown>, most: number) {
  const [first] = entries.keys();
  if (entries.size > most && first !== undefined) entries.delete(first);
}
