import { asc } from 'drizzle-orm';
import { anyOf } from '../db/arrays.ts';
import type { Database, Transaction } from '../db/client.ts';
import { jobs } from '../db/schema.ts';
import {
  deleteClaim,
  extendLease,
  insertClaims,
  readHeldJobs,
  removeExpired,
  setCapacity,
} from './queries.ts';
import type { Claim, ClaimRequest, HeldJob } from './rules.ts';

/** A change of a job's slots. */
export type SlotEvent =
  | { kind: 'claimed' | 'released' | 'expired' | 'renewed'; claim: Claim }
  | { kind: 'resized'; jobId: bigint; from: number; to: number };

/**
 * Called with the changes inside their transaction, after the writes and before COMMIT. If a
 * subscriber throws, the changes are rolled back. The transaction may still fail afterwards. So a
 * subscriber writes only through `tx`, and remembers nothing.
 */
export type Subscriber = (tx: Transaction, events: readonly SlotEvent[]) => Promise<void>;

/**
 * Everything that a change of slots needs: a database, and the subscribers who are told about each
 * change.
 */
export interface Door<D extends Database | Transaction = Database | Transaction> {
  db: D;
  subscribers: readonly Subscriber[];
}

/**
 * Runs `work` inside a transaction. `within` is the same door with the transaction as its database.
 */
export const inTransaction = <T>(
  door: Door,
  work: (within: Door<Transaction>) => Promise<T>,
): Promise<T> => door.db.transaction((tx) => work({ ...door, db: tx }));

export interface Wanted {
  jobIds: bigint[];
  /** If true, skips the jobs that another session has locked. Otherwise waits for their locks. */
  skipLocked?: boolean;
  /** Recruiters to look up, given the ids of the locked jobs. By default none. */
  recruitersOf?: (locked: ReadonlySet<bigint>) => bigint[];
}

/**
 * Every change of a job's slots goes through this function. It locks the jobs, reads who holds
 * them, calls `change` to decide and write, and then tells the subscribers.
 *
 * These slots stay locked for others until our transaction ends. So a job never gets more holders
 * than its capacity, even if many recruiters claim it at the same moment on several servers.
 */
export async function changeSlots<T>(
  { db: tx, subscribers }: Door<Transaction>,
  { jobIds, skipLocked = false, recruitersOf = () => [] }: Wanted,
  change: (slots: LockedSlots) => Promise<T>,
): Promise<T> {
  const locked = await lockJobs(tx, jobIds, skipLocked);
  const recruiterIds = recruitersOf(new Set(locked.map(({ id }) => id)));
  // The holders are read in a second statement, after the locks were granted. Only the snapshot of
  // the second statement contains every claim that earlier holders of the locks have committed.
  const slots = new LockedSlots(tx, await readHeldJobs(tx, locked, recruiterIds));
  const result = await change(slots);
  if (slots.events.length > 0) for (const tell of subscribers) await tell(tx, slots.events);
  return result;
}

// All sessions lock jobs in the order of their ids, so no two sessions can wait for each other.
/** THE LOCK: the next session that needs these jobs waits here until our transaction ends. */
const lockJobs = (tx: Transaction, ids: bigint[], skipLocked: boolean) =>
  tx
    .select({ id: jobs.id, capacity: jobs.capacity })
    .from(jobs)
    .where(anyOf(jobs.id, ids))
    .orderBy(asc(jobs.id))
    .for('update', skipLocked ? { skipLocked } : {});

/** The slots of the jobs that our transaction has locked. Each write becomes an event. */
export class LockedSlots {
  /** The jobs that exist and are locked, as they were before the change. */
  readonly jobs: ReadonlyMap<bigint, HeldJob>;
  /** The existing recruiters among those of `Wanted.recruitersOf`. */
  readonly recruiters: ReadonlySet<bigint>;
  readonly events: SlotEvent[] = [];
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
    const claims = await insertClaims(this.#tx, requests);
    return this.#note('claimed', claims);
  }

  /**
   * Removes and returns expired claims of these jobs. With `ids`, only claims with one of these
   * ids.
   */
  async expire(jobIds: bigint[], ids?: bigint[]): Promise<Claim[]> {
    if (jobIds.length === 0) return [];
    return this.#note('expired', await removeExpired(this.#tx, jobIds, ids));
  }

  /** Deletes the claim. Returns undefined if there is no such claim or its lease has ended. */
  async release(id: bigint): Promise<Claim | undefined> {
    const [claim] = this.#note('released', await deleteClaim(this.#tx, id));
    return claim;
  }

  /**
   * Sets the end of the lease to `leaseSeconds` from now. Returns undefined if there is no such
   * claim or its lease has ended.
   */
  async renew(id: bigint, leaseSeconds: number): Promise<Claim | undefined> {
    const [claim] = this.#note('renewed', await extendLease(this.#tx, id, leaseSeconds));
    return claim;
  }

  /** Expired claims of the job are removed first, so whoever counts the events never counts too many. */
  async resize(jobId: bigint, capacity: number) {
    const { capacity: from, expired } = this.#locked(jobId);
    if (from === capacity) return;
    if (expired) await this.expire([jobId]);
    await setCapacity(this.#tx, jobId, capacity);
    this.events.push({ kind: 'resized', jobId, from, to: capacity });
  }

  #note(kind: Exclude<SlotEvent['kind'], 'resized'>, claims: Claim[]): Claim[] {
    for (const claim of claims) {
      this.#locked(claim.jobId);
      this.events.push({ kind, claim });
    }
    return claims;
  }

  #locked(jobId: bigint): HeldJob {
    const job = this.jobs.get(jobId);
    if (!job) throw new Error('a slot was changed without the lock of its job');
    return job;
  }
}
