/** Full jobs that are remembered. A crowd asks for fewer jobs at any one time. */
const MOST = 10_000;
/** The share of full jobs is taken over about so many claims of unknown jobs. */
const WINDOW = 64;

/** Guesses which jobs are full. The guess says where to look first, and is never an answer. */
export class FullJobs {
  readonly #seen = new Set<bigint>();
  /** The share of unknown jobs that turned out to be full, from 0 to 1. */
  #share = 0;

  /**
   * The job was full when it was last seen, or most unknown jobs were full lately. The second happens
   * when somebody goes through old jobs.
   */
  isLikely = (jobId: bigint): boolean => this.#share > 0.5 || this.#seen.has(jobId);

  note(jobId: bigint, isFull: boolean) {
    if (!this.#seen.has(jobId)) this.#share += (Number(isFull) - this.#share) / WINDOW;
    if (!isFull) this.#seen.delete(jobId);
    else if (this.#seen.size < MOST) this.#seen.add(jobId);
    else this.#seen.clear();
  }
}
