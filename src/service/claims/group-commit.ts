import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from '../../platform/db/client.ts';
import { whenLate } from '../../platform/waiting/deadline.ts';
import {
  type Claiming,
  claimTogether,
  claimWithWait,
  type Keyed,
  type Result,
  type Settled,
} from './claim-together.ts';
import { FullJobs, refuseTogether } from './refusals.ts';
import { type ClaimRequest, isSlotFree, type Outcome } from './rules.ts';

export interface QueueLimits {
  /** The maximum number of claims in a batch. A batch is a transaction that decides many claims. */
  batch: number;
  /**
   * How many transactions may wait at the same time for jobs that other sessions have locked. Each
   * transaction waits for one job.
   */
  lockWaits: number;
  /** How many claims may be unanswered. The queue refuses further claims immediately. */
  waiting: number;
  /** How long a claim may wait for its transaction to begin. */
  waitMs: number;
  /** How long a claim may wait for its answer after its transaction has begun. */
  answerMs: number;
}

/** A claim without an answer. Ten thousand claims may wait, so each must use little memory. */
interface Waiting extends Claiming {
  /** The time at which the claim came, in milliseconds of `performance.now`. */
  since: number;
  answered: boolean;
  resolve: (settled: Settled) => void;
  reject: (error: unknown) => void;
}

/** The waiting claims of each job. The job that has waited longest comes first. */
type Waits = Map<bigint, Waiting[]>;

/**
 * How often the queue checks for late claims. All claims share one timer. By our estimate, a
 * timer for each claim would need 3 MB for ten thousand claims.
 */
const CHECK_MS = 100;
/**
 * How many late claims are answered in a turn of the event loop. Ten thousand answers in one turn
 * took 10 MB more.
 */
const IN_TURN = 100;

/**
 * Group commit. New claims wait while a transaction runs, and the next transaction decides all of
 * them together. Such a transaction is a batch. Only one batch runs at a time. Claims of the same
 * job wait in the order in which they came.
 *
 * Some claims are not decided in a batch. If another session has locked the job, its claims get
 * their own transaction, which waits for the lock. If the job is probably full, it is
 * first read without a lock, because the read may refuse the claims.
 */
export class ClaimQueue {
  readonly #db: Database;
  readonly #limits: QueueLimits;
  readonly #onLateError: (error: unknown) => void;
  readonly #forBatch: Waits = new Map();
  readonly #forRead: Waits = new Map();
  readonly #forLock: Waits = new Map();
  /**
   * The jobs of the batch, and the jobs whose claims wait for a lock. A job is in at most one of our
   * transactions at a time, so our transactions never compete for the lock of a job.
   */
  readonly #taken = new Set<bigint>();
  readonly #fullJobs = new FullJobs();
  #count = 0;
  #isDeciding = false;
  #isReading = false;
  /**
   * Whether a read has begun since the last batch ended. While a batch runs, only one read may begin.
   * Clients that are refused quickly may claim again immediately. With more reads, these clients
   * would be refused again and again, and the other claims would wait.
   */
  #hasRead = false;
  #lockWaits = 0;
  #beginning: NodeJS.Immediate | undefined;
  #checking: NodeJS.Timeout | undefined;

  /**
   * `onLateError` receives the error of a transaction that fails after all its claims were
   * answered.
   */
  constructor(db: Database, limits: QueueLimits, onLateError: (error: unknown) => void) {
    this.#db = db;
    this.#limits = limits;
    this.#onLateError = onLateError;
  }

  /**
   * Claims a job by the rules of `claimJob`. The outcome is `busy` if too many claims wait, or if
   * the claim waits too long for its transaction.
   */
  claim(request: ClaimRequest): Promise<Outcome> {
    // Only a claim with an idempotency key can have a result that is not an `Outcome`.
    return this.#enter({ request }) as Promise<Outcome>;
  }

  /** Claims a job at most once for each idempotency key. The same transaction stores the answer. */
  claimOnce(request: ClaimRequest, keyed: Keyed): Promise<Settled> {
    return this.#enter({ request, keyed });
  }

  /** Returns how many claims have no answer yet, and how many transactions are running. */
  load = () => ({ claims: this.#count, transactions: Number(this.#isDeciding) + this.#lockWaits });

  #enter({ request, keyed }: Claiming): Promise<Settled> {
    if (this.#count >= this.#limits.waiting) return Promise.resolve({ kind: 'busy' });
    return new Promise((resolve, reject) => {
      const since = performance.now();
      // A claim with a key skips the read, because a transaction must store the answer.
      const readsFirst = !keyed && this.#fullJobs.isLikely(request.jobId);
      const waiting = { request, keyed, since, answered: false, resolve, reject };
      add(readsFirst ? this.#forRead : this.#forBatch, waiting);
      this.#count++;
      // All claims of this turn of the event loop share a transaction. If the first claim began
      // immediately, the other claims would wait for its transaction.
      this.#beginning ??= setImmediate(() => {
        this.#beginning = undefined;
        this.#begin();
      });
      this.#checking ??= setTimeout(() => this.#endLate(), CHECK_MS);
    });
  }

  #begin() {
    if (!this.#isReading && !(this.#isDeciding && this.#hasRead)) void this.#read();
    for (const jobId of this.#forLock.keys())
      if (this.#lockWaits < this.#limits.lockWaits) void this.#waitForLock(jobId);
    if (!this.#isDeciding) void this.#decide();
  }

  /** Decides the claims of many jobs in one transaction. */
  async #decide() {
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    this.#isDeciding = true;
    const results = await this.#inTime(batch, claimTogether(this.#db, batch));
    this.#isDeciding = false;
    this.#hasRead = false;
    const answers = this.#settle(batch, results);
    for (const { request } of batch) this.#taken.delete(request.jobId);
    for (const waiting of batch.filter(isUnanswered)) {
      this.#taken.add(waiting.request.jobId);
      add(this.#forLock, waiting);
    }
    this.#begin();
    // PostgreSQL works on the next batch while Node makes these answers. If the answers came first,
    // 256 clients got 0.93 times as many claims.
    if (this.#isDeciding) await untilSent();
    for (const answer of answers) answer();
  }

  /** Waits for the lock of a job that another session has locked, and decides its claims. */
  async #waitForLock(jobId: bigint) {
    this.#lockWaits++;
    const claims = take(this.#forLock, jobId);
    // All these claims may have ended while they waited for this transaction.
    if (claims.length > 0) {
      const results = await this.#inTime(claims, claimWithWait(this.#db, claims));
      for (const answer of this.#settle(claims, results)) answer();
    }
    this.#taken.delete(jobId);
    this.#lockWaits--;
    this.#begin();
  }

  /** Reads the jobs that are probably full, with one statement. The other claims need the lock. */
  async #read() {
    const batch = [...this.#forRead.keys()].flatMap((jobId) => take(this.#forRead, jobId));
    if (batch.length === 0) return;
    this.#isReading = true;
    this.#hasRead = true;
    const work = refuseTogether(
      this.#db,
      batch.map(({ request }) => request),
    );
    const results = await this.#inTime(batch, work);
    for (const answer of this.#settle(batch, results)) answer();
    const left = batch.filter(isUnanswered);
    for (const waiting of left) {
      this.#fullJobs.note(waiting.request.jobId, false);
      add(this.#forBatch, waiting);
    }
    // A claim with a key has not waited for the read, but it may have come later.
    for (const jobId of new Set(left.map(({ request }) => request.jobId)))
      this.#forBatch.get(jobId)?.sort((a, b) => a.since - b.since);
    this.#isReading = false;
    this.#begin();
  }

  /** Takes the claims of the next batch, the longest waiting job first. */
  #takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    for (const jobId of this.#forBatch.keys()) {
      const room = this.#limits.batch - batch.length;
      if (room === 0) break;
      if (this.#taken.has(jobId)) continue;
      const claims = take(this.#forBatch, jobId, room);
      if (claims.length > 0) this.#taken.add(jobId);
      batch.push(...claims);
    }
    return batch;
  }

  /**
   * Returns the results of `work`. If `work` fails, rejects the claims that have no answer yet, and
   * returns no results. Claims that wait too long for their results are answered as `unknown`.
   */
  async #inTime<T>(batch: Waiting[], work: Promise<T[]>): Promise<T[]> {
    const giveUp = () => {
      for (const waiting of batch) if (this.#end(waiting)) waiting.resolve({ kind: 'unknown' });
    };
    try {
      return await whenLate(work, this.#limits.answerMs, giveUp);
    } catch (error) {
      if (!batch.some(isUnanswered)) this.#onLateError(error);
      for (const waiting of batch) if (this.#end(waiting)) waiting.reject(error);
      return [];
    }
  }

  /**
   * Settles the claims that have a result, and returns the functions that answer these claims. The
   * other claims stay unanswered.
   */
  #settle(batch: Waiting[], results: (Result | undefined)[]): (() => void)[] {
    const full = new Set<bigint>();
    const answers: (() => void)[] = [];
    for (const [index, waiting] of batch.entries()) {
      const result = results[index];
      if (!result || result.kind === 'locked-elsewhere') continue;
      const { jobId } = waiting.request;
      const isFull = isOfFullJob(result);
      this.#fullJobs.note(jobId, isFull);
      if (isFull) full.add(jobId);
      if (this.#end(waiting)) answers.push(() => waiting.resolve(result));
    }
    for (const jobId of full) moveUnkeyed(this.#forBatch, this.#forRead, jobId);
    return answers;
  }

  /** Answers each claim that has waited too long for its transaction. */
  async #endLate() {
    const before = performance.now() - this.#limits.waitMs;
    const late = [this.#forBatch, this.#forRead, this.#forLock]
      .flatMap((waits) => [...waits.values()].flat())
      .filter((waiting) => waiting.since < before && this.#end(waiting));
    this.#checking = this.#count > 0 ? setTimeout(() => this.#endLate(), CHECK_MS) : undefined;
    for (const [index, waiting] of late.entries()) {
      if (index % IN_TURN === 0) await turn();
      waiting.resolve({ kind: 'busy' });
    }
  }

  /** Returns false if the claim has an answer already. */
  #end(waiting: Waiting): boolean {
    if (waiting.answered) return false;
    waiting.answered = true;
    this.#count--;
    return true;
  }
}

/** Resolves when new statements are on their way. postgres.js sends them in the next turn. */
async function untilSent() {
  await turn();
  await turn();
}

const isUnanswered = ({ answered }: Waiting) => !answered;

const isOfFullJob = (result: Settled): boolean =>
  (result.kind === 'full' || result.kind === 'duplicate') &&
  result.slots !== undefined &&
  !isSlotFree(result.slots);

function add(waits: Waits, waiting: Waiting) {
  const { jobId } = waiting.request;
  const claims = waits.get(jobId);
  if (claims) claims.push(waiting);
  else waits.set(jobId, [waiting]);
}

/** Removes and returns the first claims of a job that have no answer yet, at most `limit`. */
function take(waits: Waits, jobId: bigint, limit = Number.POSITIVE_INFINITY): Waiting[] {
  const claims = (waits.get(jobId) ?? []).filter(isUnanswered);
  const taken = claims.splice(0, limit);
  if (claims.length === 0) waits.delete(jobId);
  else waits.set(jobId, claims);
  return taken;
}

/** Moves the claims of a full job, because a read may refuse them. Claims with a key stay. */
function moveUnkeyed(from: Waits, to: Waits, jobId: bigint) {
  const claims = from.get(jobId);
  if (!claims) return;
  for (const waiting of claims) if (!waiting.keyed) add(to, waiting);
  from.set(
    jobId,
    claims.filter(({ keyed }) => keyed),
  );
}
