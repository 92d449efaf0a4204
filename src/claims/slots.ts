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
 * Hears of the changes inside their transaction: after the writes, and before COMMIT. An error of a
 * subscriber undoes the changes. The changes may still be undone, so a subscriber writes only through
 * `tx`, and remembers nothing.
 */
export type Subscriber = (tx: Transaction, events: readonly SlotEvent[]) => Promise<void>;

/** The way to the slots: a database, and everybody who hears of each change. */
export interface Door<D extends Database | Transaction = Database | Transaction> {
  db: D;
  subscribers: readonly Subscriber[];
}

/** Runs `work` with the same door inside a transaction. */
export const inTransaction = <T>(
  door: Door,
  work: (within: Door<Transaction>) => Promise<T>,
): Promise<T> => door.db.transaction((tx) => work({ ...door, db: tx }));

export interface Wanted {
  jobIds: bigint[];
  /** Leaves out the jobs that another session has locked, instead of waiting for them. */
  skipLocked?: boolean;
  /** Which recruiters the change asks for, when it gets the jobs in `locked`. By default none. */
  recruitersOf?: (locked: ReadonlySet<bigint>) => bigint[];
}

/**
 * Every change of a job's slots goes through this function: it locks the jobs, reads who holds them,
 * lets `change` decide and write, and tells the subscribers.
 *
 * Nobody else can change these slots until our transaction ends. So a job never gets more holders
 * than its capacity, however many ask at the same moment, on however many servers.
 */
export async function changeSlots<T>(
  { db: tx, subscribers }: Door<Transaction>,
  { jobIds, skipLocked = false, recruitersOf = () => [] }: Wanted,
  change: (slots: LockedSlots) => Promise<T>,
): Promise<T> {
  const locked = await lockJobs(tx, jobIds, skipLocked);
  const recruiterIds = recruitersOf(new Set(locked.map(({ id }) => id)));
  // A statement of its own, after the locks were granted. Only now does its snapshot contain every
  // claim that the earlier holders of the locks have committed.
  const slots = new LockedSlots(tx, await readHeldJobs(tx, locked, recruiterIds));
  const result = await change(slots);
  if (slots.events.length > 0) for (const tell of subscribers) await tell(tx, slots.events);
  return result;
}

// All sessions take their locks in the order of the ids, so no two wait for one another.
/** THE LOCK: whoever wants one of these jobs next waits here until we commit or roll back. */
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
  /** The recruiters who exist, of those who were asked for. */
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
   * Inserts the claims, and returns them in the order of the requests. Expired claims of the same
   * jobs are removed first, because an expired claim keeps its recruiter from claiming anew.
   */
  async claim(requests: ClaimRequest[]): Promise<Claim[]> {
    const jobIds = requests.map(({ jobId }) => jobId);
    await this.expire(jobIds.filter((id) => this.jobs.get(id)?.expired));
    const claims = await insertClaims(this.#tx, requests);
    return this.#note('claimed', claims);
  }

  /** Removes expired claims of these jobs; with `ids`, only claims with one of these ids. */
  async expire(jobIds: bigint[], ids?: bigint[]): Promise<Claim[]> {
    if (jobIds.length === 0) return [];
    return this.#note('expired', await removeExpired(this.#tx, jobIds, ids));
  }

  /** Undefined when there is no such claim, or its lease has ended. */
  async release(id: bigint): Promise<Claim | undefined> {
    const [claim] = this.#note('released', await deleteClaim(this.#tx, id));
    return claim;
  }

  /** Lets the lease end so many seconds from now. Undefined as for `release`. */
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
