import { sql } from 'drizzle-orm';
import { arrayOf } from '../../platform/db/array-text.ts';
import { arrayIn } from '../../platform/db/arrays.ts';
import { commitWithNext, type Transaction } from '../../platform/db/client.ts';
import { jobs } from '../database/schema.ts';
import { deleteFromLine, insertIntoLine, insertOffers, type NewInLine } from './line.ts';
import {
  acceptClaim,
  compiledForClaims,
  deleteClaim,
  extendLease,
  findClaim,
  type GrantedClaim,
  type Holding,
  insertClaims,
  readHolding,
  removeExpired,
  setCapacity,
} from './queries.ts';
import { type Claim, type ClaimRequest, type HeldJob, slotsForLine } from './rules.ts';

export interface WantedSlots {
  jobIds: bigint[];
  /** If true, skips the jobs that another session has locked. Otherwise waits for their locks. */
  skipLocked?: boolean;
  /** The recruiters to look up. The default is none. */
  recruiterIds?: bigint[];
}

/**
 * Every change of a job's slots goes through this function. The function locks the jobs, reads who
 * holds them, and calls `change` to decide and write. Each write appends its events, or a trigger does.
 * The events are in the same transaction, and in the order of the writes.
 *
 * The jobs stay locked until our transaction ends. So a job never gets more holders than its
 * capacity, even if many recruiters claim the job at the same moment on several servers.
 *
 * A free slot goes to the line of its job first. `change` sees the slots that are left.
 */
export async function changeSlots<T>(
  tx: Transaction,
  { jobIds, skipLocked = false, recruiterIds = [] }: WantedSlots,
  change: (slots: LockedSlots) => Promise<T>,
): Promise<T> {
  // Both statements are sent together. PostgreSQL runs the second statement after the locks were
  // granted. Only the snapshot of the second statement contains every claim that earlier holders of
  // the locks have committed.
  const [locked, holding] = await Promise.all([
    lockJobs(tx, jobIds, skipLocked),
    readHolding(tx, jobIds, recruiterIds),
  ]);
  const slots = new LockedSlots(tx, locked, holding);
  // A lease may have ended, or plain SQL has freed a slot. If nobody waits, `offer` sends no statement.
  await slots.offer();
  return change(slots);
}

// All sessions lock jobs in the order of their ids, so no two sessions can wait for each other.
// With `skipLocked`, as in `claimTogether`, a session skips locked jobs instead of waiting.
/** THE LOCK: until our transaction ends, other sessions wait here for these jobs, or skip them. */
const LOCK = sql`select id, capacity from ${jobs} where id = any(${arrayIn('ids', 'bigint')})
  order by id for update`;

const lockAll = compiledForClaims<{ ids: string }>(LOCK);
const lockFree = compiledForClaims<{ ids: string }>(sql`${LOCK} skip locked`);

async function lockJobs(tx: Transaction, ids: bigint[], skipLocked: boolean) {
  const lock = skipLocked ? lockFree : lockAll;
  const rows = await tx.execute<{ id: string; capacity: number }>(lock({ ids: arrayOf(ids) }));
  return rows.map(({ id, capacity }) => ({ id: BigInt(id), capacity }));
}

/** The slots of the jobs that our transaction has locked. */
export class LockedSlots {
  /** The jobs that exist and are locked. A method that frees a slot changes them. */
  readonly jobs: ReadonlyMap<bigint, HeldJob>;
  /** The recruiters of `WantedSlots.recruiterIds` who exist. */
  readonly recruiters: ReadonlySet<bigint>;
  readonly #tx: Transaction;

  constructor(
    tx: Transaction,
    locked: { id: bigint; capacity: number }[],
    { holders, present }: Holding,
  ) {
    this.#tx = tx;
    this.jobs = new Map(
      locked.map(({ id, capacity }) => {
        return [id, { capacity, ...(holders.get(id) as Omit<HeldJob, 'capacity'>) }];
      }),
    );
    this.recruiters = present;
  }

  /**
   * Inserts the claims, and returns them in the order of the requests. First removes expired claims
   * of the same jobs, because an expired claim would stop its recruiter from claiming again. With
   * `commits`, COMMIT travels with the INSERT, so no statement may follow.
   */
  async claim(requests: ClaimRequest[], { commits = false } = {}): Promise<Claim[]> {
    const jobIds = [...new Set(requests.map(({ jobId }) => jobId))];
    await this.#removeExpired(jobIds.filter((id) => this.jobs.get(id)?.expired));
    const granted = this.#inOrder(requests);
    if (commits && granted.length > 0) commitWithNext(this.#tx);
    return insertClaims(this.#tx, granted);
  }

  /** Counts the claims of each job in the order of the requests. */
  #inOrder(requests: ClaimRequest[]): GrantedClaim[] {
    const counts = new Map<bigint, number>();
    return requests.map((request) => {
      const job = this.jobs.get(request.jobId);
      if (!job) throw notLocked();
      const nth = (counts.get(request.jobId) ?? 0) + 1;
      counts.set(request.jobId, nth);
      return { ...request, nth, claimed: job.recruiters.size + nth };
    });
  }

  /**
   * Removes expired claims of these jobs, and gives their slots to the lines. With `ids`, removes
   * only claims with one of these ids.
   */
  async expire(jobIds: bigint[], ids?: bigint[]): Promise<void> {
    await this.#removeExpired(jobIds, ids);
    await this.offer();
  }

  /**
   * Deletes the claim, and gives its slot to the line. Returns undefined if there is no such claim or
   * its lease has ended. If somebody waits, this also ends the transaction, so no statement may
   * follow.
   */
  async release({ id, jobId }: Pick<Claim, 'id' | 'jobId'>): Promise<Claim | undefined> {
    const job = this.jobs.get(jobId);
    if (!job) throw notLocked();
    if (job.hasLine) commitWithNext(this.#tx, 2);
    // DELETE, the offers and COMMIT travel together. PostgreSQL runs them one after the other.
    const [[claim], offers] = await Promise.all([
      deleteClaim(this.#tx, { id, jobId }),
      job.hasLine ? insertOffers(this.#tx, [jobId]) : [],
    ]);
    if (claim) job.recruiters.delete(claim.recruiterId);
    this.#note(offers);
    return claim;
  }

  /**
   * Sets the end of the lease to `leaseSeconds` from now. This accepts an offer. Returns undefined if
   * there is no such claim, if the claim has no lease, or if its lease has ended.
   */
  async renew(id: bigint, leaseSeconds: number): Promise<Claim | undefined> {
    const [claim] = this.#locked(await extendLease(this.#tx, id, leaseSeconds));
    return claim;
  }

  /**
   * Accepts an offer. The claim then has a lease of `leaseSeconds`, or none. Returns undefined if
   * there is no such offer or its lease has ended.
   */
  async accept(id: bigint, leaseSeconds?: number): Promise<Claim | undefined> {
    const [claim] = this.#locked(await acceptClaim(this.#tx, id, leaseSeconds));
    return claim;
  }

  /** Finds a live claim, as it is under the lock. */
  find(id: bigint): Promise<Claim | undefined> {
    return findClaim(this.#tx, id);
  }

  /**
   * Sets the capacity of the job. First removes expired claims of the job, so the event counts only
   * live claims.
   */
  async resize(jobId: bigint, capacity: number) {
    const job = this.jobs.get(jobId);
    if (!job) throw notLocked();
    if (job.capacity === capacity) return;
    if (job.expired) await this.#removeExpired([jobId]);
    await setCapacity(this.#tx, jobId, capacity);
    job.capacity = capacity;
    await this.offer();
  }

  /** Puts a recruiter at the end of the line. If a slot is free, the recruiter gets an offer. */
  async join(entry: NewInLine) {
    const job = this.jobs.get(entry.jobId);
    if (!job) throw notLocked();
    await insertIntoLine(this.#tx, entry);
    job.hasLine = true;
    await this.offer();
  }

  /** Takes a recruiter who waits out of the line. */
  async leave(entry: Pick<NewInLine, 'jobId' | 'recruiterId'>) {
    if (!this.jobs.has(entry.jobId)) throw notLocked();
    await deleteFromLine(this.#tx, entry);
  }

  /** Gives the free slots of each job to the first in its line. */
  async offer() {
    const next = [...this.jobs].filter(([, job]) => slotsForLine(job) > 0);
    if (next.length === 0) return;
    // An expired claim would stop its recruiter from getting an offer.
    await this.#removeExpired(next.flatMap(([id, { expired }]) => (expired ? [id] : [])));
    const jobIds = next.map(([jobId]) => jobId);
    this.#note(await insertOffers(this.#tx, jobIds));
    // If a slot is still free, the line was shorter than the number of free slots.
    for (const [, job] of next) if (slotsForLine(job) > 0) job.hasLine = false;
  }

  #note(offers: Pick<Claim, 'jobId' | 'recruiterId'>[]) {
    for (const { jobId, recruiterId } of offers) this.jobs.get(jobId)?.recruiters.add(recruiterId);
  }

  async #removeExpired(jobIds: bigint[], ids?: bigint[]) {
    if (jobIds.length === 0) return;
    const removed = this.#locked(await removeExpired(this.#tx, jobIds, ids));
    // A lease may have ended after we read the holders. Then its claim no longer counts.
    for (const { jobId, recruiterId } of removed)
      this.jobs.get(jobId)?.recruiters.delete(recruiterId);
    if (!ids) for (const id of jobIds) this.#noteNoneExpired(id);
  }

  #noteNoneExpired(jobId: bigint) {
    const job = this.jobs.get(jobId);
    if (job) job.expired = false;
  }

  /** Returns the claims. Throws if the job of any of these claims is not locked. */
  #locked(claims: Claim[]): Claim[] {
    if (!claims.every(({ jobId }) => this.jobs.has(jobId))) throw notLocked();
    return claims;
  }
}

const notLocked = () => new Error('a slot was changed without the lock of its job');
