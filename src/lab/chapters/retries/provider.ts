import type { ChargeOptions } from './strategy.ts';

/** The payment provider, which is outside the database. A rollback does not take a charge back. */
export class Provider {
  /** The receipts of the charges that the provider has made, by the client's key. */
  readonly receipts = new Map<string, number[]>();
  /** The newest receipt. Receipts are sequence numbers from 1. */
  #receipts = 0;
  /** The receipt of each key, and the last day on which the provider remembers the key. */
  readonly #known = new Map<string, { receipt: number; lastDay: number }>();
  #today = 0;

  /**
   * Charges for the request with the client's key `of`, and returns the receipt. The provider drops
   * repeats only by the `key` that the server sends. A repeat gets the receipt of the first charge.
   */
  charge(of: string, { key, days = Number.POSITIVE_INFINITY }: ChargeOptions): number {
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known && known.lastDay >= this.#today) return known.receipt;
    const receipt = ++this.#receipts;
    this.receipts.set(of, [...(this.receipts.get(of) ?? []), receipt]);
    if (key !== undefined) this.#known.set(key, { receipt, lastDay: this.#today + days });
    return receipt;
  }

  passDays(days: number) {
    this.#today += days;
  }

  /** Returns a line for each key that the provider has forgotten within these last days. */
  forgottenIn(days: number): string[] {
    const isNew = (lastDay: number) => lastDay < this.#today && lastDay >= this.#today - days;
    const forgotten = [...this.#known].filter(([, { lastDay }]) => isNew(lastDay));
    return forgotten.map(([key]) => `the provider forgets key ${key}`);
  }
}
