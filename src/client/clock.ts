/**
 * The service's clock, derived from the dates of its answers. Leases end by the service's clock,
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
    // If the old and the new bounds contradict each other, one of the two clocks was changed. Then
    // only the new bounds count.
    const isNews = atLeast > this.#atMost || atMost < this.#atLeast;
    this.#atLeast = isNews ? atLeast : Math.max(this.#atLeast, atLeast);
    this.#atMost = isNews ? atMost : Math.min(this.#atMost, atMost);
  }

  /**
   * The service's time when this machine's clock shows `now`. Before the first answer, the result is
   * `now`.
   */
  at(now: number): number {
    const isKnown = Number.isFinite(this.#atLeast);
    return isKnown ? now + (this.#atLeast + this.#atMost) / 2 : now;
  }
}
