import type { Database } from '../../../platform/db/client.ts';
import { whenLate } from '../../../platform/waiting/deadline.ts';
import { type ClaimRequest, isSlotFree, type Outcome } from '../rules.ts';
import { FullJobs } from './find-refusals.ts';
import {
  type Claiming,
  claimInLine,
  claimTogether,
  type Keyed,
  type Result,
  refuseTogether,
  type Settled,
} from './group-commit.ts';
import {
  answerInGroups,
  isUnanswered,
  jobsOf,
  lineOf,
  moveUnkeyed,
  Patience,
  type QueueLimits,
  takeBatch,
  type Waiting,
  waitingFor,
} from './waiting.ts';

/**
 * A queue with group commit. New claims wait while a transaction runs, and the next transaction
 * decides all of them together. Claims of the same job wait in the order in which they came. Each
 * job is in at most one of our transactions at a time, so our transactions never compete for the
 * lock of a job. An idle queue begins a transaction at the end of the current turn of the event
 * loop.
 */
export class ClaimQueue {
  readonly #db: Database;
  readonly #limits: QueueLimits;
  readonly #onLateError: (error: unknown) => void;
  /** The waiting claims of each job. The job that has waited longest comes first. */
  readonly #waiting = new Map<bigint, Waiting[]>();
  /**
   * The waiting claims of jobs that are probably full. An unlocked read may refuse these claims. An
   * unlocked read is one statement that takes no lock.
   */
  readonly #waitingForRead = new Map<bigint, Waiting[]>();
  /** One list of claims for each job that another session has locked. */
  readonly #waitingForLine: Waiting[][] = [];
  /** Jobs whose claims are in one of our transactions or in `#waitingForLine`. */
  readonly #taken = new Set<bigint>();
  /** Jobs that an unlocked read is reading now. */
  readonly #beingRead = new Set<bigint>();
  readonly #fullJobs = new FullJobs();
  #count = 0;
  readonly #running = { batches: 0, lines: 0, unlockedReads: 0 };
  /**
   * Whether an unlocked read has begun since the last batch ended. While a batch runs, only one
   * unlocked read may begin. Clients that are refused quickly may claim again immediately. With
   * more unlocked reads, these clients would be refused again and again, and the other claims would
   * wait.
   */
  #hasRead = false;
  #beginning: NodeJS.Immediate | undefined;
  readonly #patience: Patience;

  /**
   * `onLateError` receives the error of a transaction that fails after all its claims were
   * answered.
   */
  constructor(db: Database, limits: QueueLimits, onLateError: (error: unknown) => void) {
    this.#db = db;
    this.#limits = limits;
    this.#onLateError = onLateError;
    this.#patience = new Patience(
      limits.waitMs,
      () =>
        [
          ...this.#waiting.values(),
          ...this.#waitingForRead.values(),
          ...this.#waitingForLine,
        ].flat(),
      (waiting) => {
        this.#end(waiting);
        return () => waiting.resolve({ kind: 'busy' });
      },
    );
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

  #enter(claiming: Claiming): Promise<Settled> {
    if (this.#count >= this.#limits.waiting) return Promise.resolve({ kind: 'busy' });
    return new Promise((resolve, reject) => {
      const { jobId } = claiming.request;
      // A claim with a key skips the unlocked read, because a transaction must store the answer
      // even if the claim is refused.
      const readsFirst = !claiming.keyed && this.#fullJobs.isLikely(jobId);
      const map = readsFirst ? this.#waitingForRead : this.#waiting;
      lineOf(map, jobId).push(waitingFor(claiming, resolve, reject));
      this.#count++;
      this.#beginTogether();
    });
  }

  /** Returns how many claims have no answer yet, and how many transactions are running. */
  load = () => ({ claims: this.#count, transactions: this.#running.batches + this.#running.lines });

  /**
   * Begins work when this turn of the event loop ends, so that all claims of the turn share one
   * transaction. If the first claim began immediately, the other claims would wait for its
   * transaction.
   */
  #beginTogether() {
    this.#beginning ??= setImmediate(() => {
      this.#beginning = undefined;
      this.#begin();
    });
  }

  #begin() {
    while (this.#mayRead()) {
      const batch = takeBatch(this.#waitingForRead, this.#beingRead, Number.POSITIVE_INFINITY);
      if (batch.length === 0) break;
      void this.#readUnlocked(batch);
    }
    while (this.#running.lines < this.#limits.lines) {
      const line = this.#waitingForLine.shift();
      if (!line) break;
      void this.#runLine(line);
    }
    while (this.#running.batches < this.#limits.batches) {
      const batch = takeBatch(this.#waiting, this.#taken, this.#limits.batch);
      if (batch.length === 0) break;
      void this.#runBatch(batch);
    }
    if (this.#count > 0) this.#patience.watch();
  }

  #mayRead(): boolean {
    const hasTurn = this.#running.batches === 0 || !this.#hasRead;
    return hasTurn && this.#running.unlockedReads < this.#limits.unlockedReads;
  }

  async #runBatch(batch: Waiting[]) {
    this.#running.batches++;
    const answers = this.#settle(batch, await this.#inTime(batch, claimTogether(this.#db, batch)));
    void answerInGroups(answers);
    this.#running.batches--;
    this.#hasRead = false;
    const held = new Map<bigint, Waiting[]>();
    for (const each of batch.filter(isUnanswered)) lineOf(held, each.request.jobId).push(each);
    for (const jobId of jobsOf(batch)) if (!held.has(jobId)) this.#taken.delete(jobId);
    this.#waitingForLine.push(...held.values());
    this.#begin();
  }

  async #runLine(line: Waiting[]) {
    this.#running.lines++;
    const batch = line.filter(isUnanswered);
    const answers = this.#settle(batch, await this.#inTime(batch, claimInLine(this.#db, batch)));
    void answerInGroups(answers);
    this.#running.lines--;
    for (const jobId of jobsOf(line)) this.#taken.delete(jobId);
    this.#begin();
  }

  /** Refuses all claims of full jobs with one statement. The other claims move to `#waiting`. */
  async #readUnlocked(batch: Waiting[]) {
    this.#running.unlockedReads++;
    this.#hasRead = true;
    // No statement waits for these answers, so we do not use `answerInGroups`. With groups, the
    // service refused 0.8 times as many claims of a popular job.
    const answers = this.#settle(batch, await this.#inTime(batch, refuseTogether(this.#db, batch)));
    for (const answer of answers) answer();
    this.#running.unlockedReads--;
    for (const jobId of jobsOf(batch)) this.#beingRead.delete(jobId);
    // The unlocked read saw a free slot for each of these claims. The lock decides who gets the
    // slot.
    const left = batch.filter(isUnanswered);
    for (const each of left) {
      this.#fullJobs.note(each.request.jobId, false);
      lineOf(this.#waiting, each.request.jobId).push(each);
    }
    for (const jobId of jobsOf(left)) this.#waiting.get(jobId)?.sort((a, b) => a.since - b.since);
    this.#begin();
  }

  /**
   * Returns the results of `work`. Returns undefined if `work` fails, and rejects the claims that
   * have no answer yet. Claims that wait too long for their results are answered as `unknown`.
   */
  async #inTime<T>(batch: Waiting[], work: Promise<T>): Promise<T | undefined> {
    const giveUp = () => {
      for (const waiting of batch) this.#answer(waiting, { kind: 'unknown' });
    };
    try {
      return await whenLate(work, this.#limits.answerMs, giveUp);
    } catch (error) {
      if (!batch.some(isUnanswered)) this.#onLateError(error);
      for (const waiting of batch) if (this.#end(waiting)) waiting.reject(error);
      return undefined;
    }
  }

  /**
   * Settles the claims that have a result, and returns the functions that answer these claims. The
   * other claims stay unanswered.
   */
  #settle(batch: Waiting[], results: (Result | undefined)[] | undefined): (() => void)[] {
    const full = new Set<bigint>();
    const answers: (() => void)[] = [];
    for (const [index, waiting] of batch.entries()) {
      const result = results?.[index];
      if (!result || result.kind === 'locked-elsewhere') continue;
      const { jobId } = waiting.request;
      const refused = result.kind === 'full' || result.kind === 'duplicate';
      const isFull = refused && result.slots !== undefined && !isSlotFree(result.slots);
      this.#fullJobs.note(jobId, isFull);
      if (isFull) full.add(jobId);
      if (this.#end(waiting)) answers.push(() => waiting.resolve(result));
    }
    // Some claims still wait for a full job. An unlocked read may refuse these claims, so they need
    // no lock.
    for (const jobId of full) moveUnkeyed(this.#waiting, this.#waitingForRead, jobId);
    return answers;
  }

  #answer(waiting: Waiting, settled: Settled) {
    if (this.#end(waiting)) waiting.resolve(settled);
  }

  /** Returns false if the claim has an answer already. */
  #end(waiting: Waiting): boolean {
    if (waiting.answered) return false;
    waiting.answered = true;
    this.#count--;
    return true;
  }
}
