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
