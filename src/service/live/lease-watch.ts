import { type ClaimNews, isOfferIn } from './claims.ts';

/**
 * A recruiter gets a message this long before a lease ends, so that a person has time to renew the
 * lease.
 */
export const ENDING_MS = 60_000;

/** The longest timer that Node supports. Node fires a longer timer immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** After these events, the claim is gone. */
const OVER: ReadonlySet<string> = new Set<ClaimNews['kind']>([
  'released',
  'expired',
  'declined',
  'lapsed',
]);

/** Sends one recruiter a message before each of its leases ends. */
export class LeaseWatch {
  readonly #onEnding: (news: ClaimNews) => void;
  /** The claims with a lease for which no message has been sent. */
  readonly #leases = new Map<bigint, ClaimNews & { expiresAt: Date }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(onEnding: (news: ClaimNews) => void) {
    this.#onEnding = onEnding;
  }

  /** Notes the latest news about claims. */
  hear(all: readonly ClaimNews[]) {
    for (const news of all) {
      const { kind, claimId, expiresAt } = news;
      if (OVER.has(kind) || expiresAt === null) this.#leases.delete(claimId);
      else this.#leases.set(claimId, { ...news, expiresAt });
    }
    this.#plan();
  }

  clear() {
    clearTimeout(this.#timer);
    this.#leases.clear();
  }

  /**
   * Sets the timer. One timer waits for the lease that ends first, so any number of claims needs
   * one timer.
   */
  #plan() {
    clearTimeout(this.#timer);
    let next = Number.POSITIVE_INFINITY;
    for (const { expiresAt } of this.#leases.values())
      next = Math.min(next, expiresAt.getTime() - ENDING_MS);
    if (next === Number.POSITIVE_INFINITY) return;
    const ms = Math.min(Math.max(0, next - Date.now()), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => this.#tell(), ms).unref();
  }

  #tell() {
    const now = Date.now();
    for (const [id, news] of this.#leases)
      if (news.expiresAt.getTime() - ENDING_MS <= now) {
        this.#leases.delete(id);
        this.#onEnding({ ...news, isOffer: isOfferIn(news), kind: 'ending', at: new Date(now) });
      }
    this.#plan();
  }
}
