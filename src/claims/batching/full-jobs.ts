/** Jobs that are remembered as full. More than a crowd is about at any one time. */
const MOST = 10_000;
/** Of so many last claims on jobs that nothing was known of, roughly, it is told how many were full. */
const WINDOW = 64;

/** Which jobs are probably full: a hint on where to look first, and never an answer. */
export class FullJobs {
  readonly #seen = new Set<bigint>();
  /** How many of the jobs that nothing was known of turned out to be full, from 0 to 1. */
  #share = 0;

  /** Seen full when last decided on; or most others were, such as where old jobs are gone through. */
  isLikely = (jobId: bigint): boolean => this.#share > 0.5 || this.#seen.has(jobId);

  note(jobId: bigint, isFull: boolean) {
    if (!this.#seen.has(jobId)) this.#share += (Number(isFull) - this.#share) / WINDOW;
    if (!isFull) this.#seen.delete(jobId);
    else if (this.#seen.size < MOST) this.#seen.add(jobId);
    else this.#seen.clear();
  }
}
