/**
 * The service's clock, by the dates of its answers: a lease ends by that one, and the one of this
 * machine may be hours off. Each answer was made between its request and its arrival, to the second.
 */
export class ServiceClock {
  #atLeast = Number.NEGATIVE_INFINITY;
  #atMost = Number.POSITIVE_INFINITY;

  /** All in milliseconds since 1970; `date` is cut to the second. */
  hear({ sent, received, date }: { sent: number; received: number; date: number }) {
    const atLeast = date - received;
    const atMost = date + 999 - sent;
    // One of the clocks was set meanwhile: what was known counts no more.
    const isNews = atLeast > this.#atMost || atMost < this.#atLeast;
    this.#atLeast = isNews ? atLeast : Math.max(this.#atLeast, atLeast);
    this.#atMost = isNews ? atMost : Math.min(this.#atMost, atMost);
  }

  /** Its time when this machine's clock shows `now`; that one itself before any answer. */
  at(now: number): number {
    const isKnown = Number.isFinite(this.#atLeast);
    return isKnown ? now + (this.#atLeast + this.#atMost) / 2 : now;
  }
}

export const serviceClock = new ServiceClock();
