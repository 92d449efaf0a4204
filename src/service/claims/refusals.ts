import { sql } from 'drizzle-orm';
import { idsIn } from '../../platform/db/array-text.ts';
import { anyOf } from '../../platform/db/arrays.ts';
import type { Database } from '../../platform/db/client.ts';
import { isLive, jobClaims, jobs } from '../database/schema.ts';
import { asSeenBy, type ClaimRequest, decide, type Outcome } from './rules.ts';
import { settleAll } from './settle.ts';

/**
 * Finds claims to refuse, and takes no lock. This is the unlocked read. If the database is busy or
 * does not answer, all claims get the outcome `busy` or `unknown`. One statement reads all jobs in
 * one snapshot. PostgreSQL takes the snapshot after the requests have come, so each refusal
 * is true. At the time of the snapshot, the job was full, or this recruiter held the job, or the
 * job did not exist. The result is undefined if a slot is free, because the lock decides who gets
 * the slot.
 */
export const refuseTogether = (
  db: Database,
  requests: ClaimRequest[],
): Promise<(Outcome | undefined)[]> => settleAll(requests.length, findRefusals(db, requests));

async function findRefusals(
  db: Database,
  requests: ClaimRequest[],
): Promise<(Outcome | undefined)[]> {
  const ids = [...new Set(requests.map(({ jobId }) => jobId))];
  // The statement returns one row for each job. Reading one row for each claim took three times as
  // long.
  const holders = db
    .select({ ids: sql`array_agg(${jobClaims.recruiterId})` })
    .from(jobClaims)
    .where(sql`${jobClaims.jobId} = ${jobs.id} and ${isLive}`);
  const rows = await db
    .select({ id: jobs.id, capacity: jobs.capacity, recruiters: sql<string | null>`(${holders})` })
    .from(jobs)
    .where(anyOf(jobs.id, ids));
  const seen = new Map(
    rows.map(({ id, capacity, recruiters }) => [
      id,
      { capacity, recruiters: new Set(idsIn(recruiters)) },
    ]),
  );
  return requests.map(({ jobId, recruiterId }) => {
    const job = seen.get(jobId);
    if (!job) return { kind: 'no-such-job' };
    const decision = decide(job, asSeenBy(recruiterId, job));
    return decision.kind === 'granted' ? undefined : decision;
  });
}

/**
 * The maximum number of full jobs that we remember. Even a crowd of clients claims fewer jobs at
 * the same time.
 */
const MOST = 10_000;
/** The share of full jobs depends on about this many recent claims on unknown jobs. */
const WINDOW = 64;

/**
 * Guesses which jobs are full. The guess only decides whether we read a job before we lock it. A
 * guess never refuses a claim.
 */
export class FullJobs {
  readonly #seen = new Set<bigint>();
  /** The share of unknown jobs that turned out to be full, from 0 to 1. */
  #share = 0;

  /**
   * Returns true if the job was full when we last saw it, or if most unknown jobs were full lately.
   * Most unknown jobs are full while somebody claims many old jobs.
   */
  isLikely = (jobId: bigint): boolean => this.#share > 0.5 || this.#seen.has(jobId);

  note(jobId: bigint, isFull: boolean) {
    if (!this.#seen.has(jobId)) this.#share += (Number(isFull) - this.#share) / WINDOW;
    if (!isFull) this.#seen.delete(jobId);
    else if (this.#seen.size < MOST) this.#seen.add(jobId);
    else this.#seen.clear();
  }
}
