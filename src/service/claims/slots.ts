import { asc } from 'drizzle-orm';
import { anyOf } from '../../platform/db/arrays.ts';
import type { Transaction } from '../../platform/db/client.ts';
import { jobs } from '../database/schema.ts';
import {
  deleteClaim,
  extendLease,
  insertClaims,
  readHeldJobs,
  removeExpired,
  setCapacity,
} from './queries.ts';
import type { Claim, ClaimRequest, HeldJob } from './rules.ts';

export interface WantedSlots {
  jobIds: bigint[];
  /** If true, skips the jobs that another session has locked. Otherwise waits for their locks. */
  skipLocked?: boolean;
  /** Returns the recruiters to look up, given the ids of the locked jobs. The default is none. */
  recruitersOf?: (locked: ReadonlySet<bigint>) => bigint[];
}

/**
 * Every change of a job's slots goes through this function. The function locks the jobs, reads who
 * holds them, and calls `change` to decide and write. Triggers of the database append the events of
 * each write. The events are in the same transaction, and in the order of the writes.
 *
 * The jobs stay locked until our transaction ends. So a job never gets more holders than its
 * capacity, even if many recruiters claim the job at the same moment on several servers.
 */
export async function changeSlots<T>(
  tx: Transaction,
  { jobIds, skipLocked = false, recruitersOf = () => [] }: WantedSlots,
  change: (slots: LockedSlots) => Promise<T>,
): Promise<T> {
  const locked = await lockJobs(tx, jobIds, skipLocked);
  const recruiterIds = recruitersOf(new Set(locked.map(({ id }) => id)));
  // The holders are read in a second statement, after the locks were granted. Only the snapshot of
  // the second statement contains every claim that earlier holders of the locks have committed.
  return change(new LockedSlots(tx, await readHeldJobs(tx, locked, recruiterIds)));
}

// All sessions lock jobs in the order of their ids, so no two sessions can wait for each other.
// With `skipLocked`, as in `claimTogether`, a session skips locked jobs instead of waiting.
/** THE LOCK: until our transaction ends, other sessions wait here for these jobs, or skip them. */
const lockJobs = (tx: Transaction, ids: bigint[], skipLocked: boolean) =>
  tx
    .select({ id: jobs.id, capacity: jobs.capacity })
    .from(jobs)
    .where(anyOf(jobs.id, ids))
    .orderBy(asc(jobs.id))
    .for('update', skipLocked ? { skipLocked } : {});

/** The slots of the jobs that our transaction has locked. */
export class LockedSlots {
  /** The jobs that exist and are locked, as they were before the change. */
  readonly jobs: ReadonlyMap<bigint, HeldJob>;
  /** The recruiters of `WantedSlots.recruitersOf` who exist. */
  readonly recruiters: ReadonlySet<bigint>;
  readonly #tx: Transaction;

  constructor(
    tx: Transaction,
    { jobs, recruiters }: { jobs: Map<bigint, HeldJob>; recruiters: Set<bigint> },
  ) {
    this.#tx = tx;
    this.jobs = jobs;
    this.recruiters = recruiters;
  }

  /**
   * Inserts the claims, and returns them in the order of the requests. First removes expired claims
   * of the same jobs, because an expired claim would stop its recruiter from claiming again.
   */
  async claim(requests: ClaimRequest[]): Promise<Claim[]> {
    const jobIds = requests.map(({ jobId }) => jobId);
    await this.expire(jobIds.filter((id) => this.jobs.get(id)?.expired));
    return this.#locked(await insertClaims(this.#tx, requests));
  }

  /**
   * Removes and returns expired claims of these jobs. With `ids`, removes only claims with one of
   * these ids.
   */
  async expire(jobIds: bigint[], ids?: bigint[]): Promise<Claim[]> {
    if (jobIds.length === 0) return [];
    return this.#locked(await removeExpired(this.#tx, jobIds, ids));
  }

  /** Deletes the claim. Returns undefined if there is no such claim or its lease has ended. */
  async release(id: bigint): Promise<Claim | undefined> {
    const [claim] = this.#locked(await deleteClaim(this.#tx, id));
    return claim;
  }

  /**
   * Sets the end of the lease to `leaseSeconds` from now. Returns undefined if there is no such
   * claim or its lease has ended.
   */
  async renew(id: bigint, leaseSeconds: number): Promise<Claim | undefined> {
    const [claim] = this.#locked(await extendLease(this.#tx, id, leaseSeconds));
    return claim;
  }

  /**
   * Sets the capacity of the job. First removes expired claims of the job, so the event counts only
   * live claims.
   */
  async resize(jobId: bigint, capacity: number) {
    const job = this.jobs.get(jobId);
    if (!job) throw notLocked();
    if (job.capacity === capacity) return;
    if (job.expired) await this.expire([jobId]);
    await setCapacity(this.#tx, jobId, capacity);
  }

  /** Returns the claims. Throws if the job of any of these claims is not locked. */
  #locked(claims: Claim[]): Claim[] {
    if (!claims.every(({ jobId }) => this.jobs.has(jobId))) throw notLocked();
    return claims;
  }
}

const notLocked = () => new Error('a slot was changed without the lock of its job');
