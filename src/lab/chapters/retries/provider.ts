import type { ChargeOptions } from './strategy.ts';

/** The payment provider, outside the database. It remembers every charge, whatever we roll back. */
export class Provider {
  /** How many charges it has made. The receipts are their numbers. */
  charges = 0;
  /** The receipt of each key, and the last day on which the provider remembers the key. */
  readonly #known = new Map<string, { receipt: number; lastDay: number }>();
  #today = 0;

  /** Returns the receipt. A repeat with a known key gets the receipt of the first charge. */
  charge({ key, days = Number.POSITIVE_INFINITY }: ChargeOptions): number {
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known && known.lastDay >= this.#today) return known.receipt;
    const receipt = ++this.charges;
    if (key !== undefined) this.#known.set(key, { receipt, lastDay: this.#today + days });
    return receipt;
  }

  passDays(days: number) {
    this.#today += days;
  }
}
