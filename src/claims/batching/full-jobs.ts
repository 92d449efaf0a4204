/**
 * The most full jobs that we remember. Even a crowd claims fewer different jobs at the same time.
 */
const MOST = 10_000;
/** About how many recent claims of unknown jobs determine the share of full jobs. */
const WINDOW = 64;

/**
 * Guesses which jobs are full. The guess only decides whether we look at a job before we lock it. A
 * guess never refuses a claim.
 */
export class FullJobs {
  readonly #seen = new Set<bigint>();
  /** The share of unknown jobs that turned out to be full, from 0 to 1. */
  #share = 0;

  /**
   * True if the job was full when last seen, or if most unknown jobs were full lately. Most unknown
   * jobs are full while somebody claims many old jobs.
   */
  isLikely = (jobId: bigint): boolean => this.#share > 0.5 || this.#seen.has(jobId);

  note(jobId: bigint, isFull: boolean) {
    if (!this.#seen.has(jobId)) this.#share += (Number(isFull) - this.#share) / WINDOW;
    if (!isFull) this.#seen.delete(jobId);
    else if (this.#seen.size < MOST) this.#seen.add(jobId);
    else this.#seen.clear();
  }
}
