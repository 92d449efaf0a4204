import type { Database } from '../../db/client.ts';
import { whenLate } from '../../waiting/deadline.ts';
import { type ClaimRequest, isSlotFree, type Outcome } from '../rules.ts';
import type { Door } from '../slots.ts';
import { FullJobs } from './full-jobs.ts';
import {
  type Claiming,
  claimInLine,
  claimTogether,
  type Keyed,
  type Result,
  refuseTogether,
  type Settled,
} from './group-commit.ts';
import { Patience } from './patience.ts';
import {
  isUnanswered,
  jobsOf,
  lineOf,
  moveUnkeyed,
  type QueueLimits,
  takeBatch,
  type Waiting,
  waitingFor,
} from './waiting.ts';

/**
 * Group commit: the claims that come while a transaction is running form the next transaction. They
 * wait in the order in which they came. Each job is in one of our transactions at a time, so no two
 * of our transactions wait for one another. An idle queue begins at the end of the event loop's turn.
 */
export class ClaimQueue {
  readonly #door: Door<Database>;
  readonly #limits: QueueLimits;
  readonly #onLateError: (error: unknown) => void;
  /** Claims that wait, by job. The job that has waited longest comes first. */
  readonly #waiting = new Map<bigint, Waiting[]>();
  /** The same for jobs that were full when last seen. A look without a lock may refuse these. */
  readonly #waitingForLook = new Map<bigint, Waiting[]>();
  /** Claims of jobs that another session has locked, a list for each job. */
  readonly #waitingForLine: Waiting[][] = [];
  /** Jobs that are in one of our transactions, or wait in `#waitingForLine`. */
  readonly #taken = new Set<bigint>();
  /** Jobs that are in a look. */
  readonly #lookedAt = new Set<bigint>();
  readonly #fullJobs = new FullJobs();
  #count = 0;
  readonly #running = { batches: 0, lines: 0, looks: 0 };
  /**
   * One look for each transaction. A crowd that is refused quickly asks again at once, and with more
   * looks the claims would wait for the crowd.
   */
  #hasLooked = false;
  #beginning: NodeJS.Immediate | undefined;
  readonly #patience: Patience;

  /** `onLateError` takes the errors of claims that were answered as `unknown` already. */
  constructor(door: Door<Database>, limits: QueueLimits, onLateError: (error: unknown) => void) {
    this.#door = door;
    this.#limits = limits;
    this.#onLateError = onLateError;
    this.#patience = new Patience(
      limits.waitMs,
      () =>
        [
          ...this.#waiting.values(),
          ...this.#waitingForLook.values(),
          ...this.#waitingForLine,
        ].flat(),
      (waiting) => this.#answer(waiting, { kind: 'busy' }),
    );
  }

  /** Claims as `claimJob` does. `busy` if too many claims wait, or the turn does not come in time. */
  claim(request: ClaimRequest): Promise<Outcome> {
    // Only claims with a key have the other results.
    return this.#enter({ request }) as Promise<Outcome>;
  }

  /** The same at most once for a key. The answer is stored in the transaction of the claim. */
  claimOnce(request: ClaimRequest, keyed: Keyed): Promise<Settled> {
    return this.#enter({ request, keyed });
  }

  #enter(claiming: Claiming): Promise<Settled> {
    if (this.#count >= this.#limits.waiting) return Promise.resolve({ kind: 'busy' });
    return new Promise((resolve, reject) => {
      const { jobId } = claiming.request;
      // With a key even a refusal is stored, and that takes a transaction anyway.
      const looks = !claiming.keyed && this.#fullJobs.isLikely(jobId);
      const map = looks ? this.#waitingForLook : this.#waiting;
      lineOf(map, jobId).push(waitingFor(claiming, resolve, reject));
      this.#count++;
      this.#beginTogether();
    });
  }

  /** How many claims have no answer yet, and how many transactions decide some of them. */
  load = () => ({ claims: this.#count, transactions: this.#running.batches + this.#running.lines });

  /**
   * The claims of one turn of the event loop go together. If the first went at once, the others would
   * wait for its transaction.
   */
  #beginTogether() {
    this.#beginning ??= setImmediate(() => {
      this.#beginning = undefined;
      this.#begin();
    });
  }

  #begin() {
    while (this.#mayLook()) {
      const batch = takeBatch(this.#waitingForLook, this.#lookedAt, Number.POSITIVE_INFINITY);
      if (batch.length === 0) break;
      void this.#look(batch);
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

  #mayLook(): boolean {
    const hasTurn = this.#running.batches === 0 || !this.#hasLooked;
    return hasTurn && this.#running.looks < this.#limits.looks;
  }

  async #runBatch(batch: Waiting[]) {
    this.#running.batches++;
    this.#settle(batch, await this.#inTime(batch, claimTogether(this.#door, batch)));
    this.#running.batches--;
    this.#hasLooked = false;
    const held = new Map<bigint, Waiting[]>();
    for (const each of batch.filter(isUnanswered)) lineOf(held, each.request.jobId).push(each);
    for (const jobId of jobsOf(batch)) if (!held.has(jobId)) this.#taken.delete(jobId);
    this.#waitingForLine.push(...held.values());
    this.#begin();
  }

  async #runLine(line: Waiting[]) {
    this.#running.lines++;
    const batch = line.filter(isUnanswered);
    this.#settle(batch, await this.#inTime(batch, claimInLine(this.#door, batch)));
    this.#running.lines--;
    for (const jobId of jobsOf(line)) this.#taken.delete(jobId);
    this.#begin();
  }

  /** One statement refuses all who ask for full jobs, however many they are. */
  async #look(batch: Waiting[]) {
    this.#running.looks++;
    this.#hasLooked = true;
    this.#settle(batch, await this.#inTime(batch, refuseTogether(this.#door.db, batch)));
    this.#running.looks--;
    for (const jobId of jobsOf(batch)) this.#lookedAt.delete(jobId);
    // The look saw a free slot for these. The lock decides who gets the slot.
    const left = batch.filter(isUnanswered);
    for (const each of left) {
      this.#fullJobs.note(each.request.jobId, false);
      lineOf(this.#waiting, each.request.jobId).push(each);
    }
    for (const jobId of jobsOf(left)) this.#waiting.get(jobId)?.sort((a, b) => a.since - b.since);
    this.#begin();
  }

  /**
   * The results of `work`; undefined after an error. Claims that wait too long for their results are
   * answered as `unknown`.
   */
  async #inTime<T>(batch: Waiting[], work: Promise<T>): Promise<T | undefined> {
    const giveUp = () => {
      for (const waiting of batch) this.#answer(waiting, { kind: 'unknown' });
    };
    try {
      return await whenLate(work, this.#limits.answerMs, giveUp);
    } catch (error) {
      if (!batch.some(isUnanswered)) this.#onLateError(error);
      for (const waiting of batch) this.#end(waiting, () => waiting.reject(error));
      return undefined;
    }
  }

  /** Answers the claims that have a result. The others go on waiting. */
  #settle(batch: Waiting[], results: (Result | undefined)[] | undefined) {
    const full = new Set<bigint>();
    for (const [index, waiting] of batch.entries()) {
      const result = results?.[index];
      if (!result || result.kind === 'locked-elsewhere') continue;
      const { jobId } = waiting.request;
      const refused = result.kind === 'full' || result.kind === 'duplicate';
      const isFull = refused && result.slots !== undefined && !isSlotFree(result.slots);
      this.#fullJobs.note(jobId, isFull);
      if (isFull) full.add(jobId);
      this.#answer(waiting, result);
    }
    // The claims that still wait for a full job need no lock: a look may refuse them.
    for (const jobId of full) moveUnkeyed(this.#waiting, this.#waitingForLook, jobId);
  }

  #answer(waiting: Waiting, settled: Settled) {
    this.#end(waiting, () => waiting.resolve(settled));
  }

  #end(waiting: Waiting, tell: () => void) {
    if (waiting.answered) return;
    waiting.answered = true;
    this.#count--;
    tell();
  }
}
