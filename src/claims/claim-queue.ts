import type { Database } from '../db/client.ts';
import {
  type Claiming,
  claimInLine,
  claimTogether,
  type Result,
  refuseTogether,
  type Settled,
} from './group-commit.ts';

export interface QueueLimits {
  /** Transactions at once that decide claims of many jobs. */
  batches: number;
  /** Claims that such a transaction takes, give or take the last job's. */
  batch: number;
  /** Transactions at once that wait for the lock of a job that another session has. */
  lines: number;
  /** Claims that may wait; past that they are turned away at once. */
  waiting: number;
  /** How long a claim waits for its transaction to begin. */
  waitMs: number;
  /** How long an answer is waited for once it has begun. */
  answerMs: number;
}

interface Waiting extends Claiming {
  since: number;
  /** A transaction is deciding it: it is too late to give up. */
  running: boolean;
  answered: boolean;
  resolve: (settled: Settled) => void;
  reject: (error: unknown) => void;
}

/** One timer for all: one each would cost more than the claim's place in a batch. */
const SWEEP_MS = 100;
/** Jobs that are remembered as full. More than a crowd is about at any one time. */
const MOST_HINTS = 10_000;

/**
 * Group commit: claims that come while a transaction is running form the next one. They wait in the
 * order in which they came, and each job is in one of our transactions at a time, so no two of them
 * wait for one another. An idle queue begins at once.
 */
export class ClaimQueue {
  readonly #db: Database;
  readonly #limits: QueueLimits;
  readonly #onLateError: (error: unknown) => void;
  /** By job; the job that has waited longest first. */
  readonly #waiting = new Map<bigint, Waiting[]>();
  /** The same, of jobs that were full when last seen: a look may do. */
  readonly #waitingForLook = new Map<bigint, Waiting[]>();
  /** Claims of jobs that another session has. */
  readonly #waitingForLine: Waiting[][] = [];
  /** Jobs that a transaction of ours is about, or that wait for a line. */
  readonly #taken = new Set<bigint>();
  /** A hint on where to look first, and never an answer. */
  readonly #seenFull = new Set<bigint>();
  #count = 0;
  #batches = 0;
  #lines = 0;
  #looking = false;
  #sweeper: NodeJS.Timeout | undefined;

  /** `onLateError` takes what a claim throws after it was answered as `unknown`. */
  constructor(db: Database, limits: QueueLimits, onLateError: (error: unknown) => void) {
    this.#db = db;
    this.#limits = limits;
    this.#onLateError = onLateError;
  }

  /** What a claim gets; `busy` when too many wait, or its turn does not come in time. */
  claim({ request, keyed }: Claiming): Promise<Settled> {
    if (this.#count >= this.#limits.waiting) return Promise.resolve({ kind: 'busy' });
    return new Promise((resolve, reject) => {
      const waiting = {
        request,
        keyed,
        since: Date.now(),
        running: false,
        answered: false,
        resolve,
        reject,
      };
      // A refusal that is to be stored takes a transaction anyway.
      const looks = !keyed && this.#seenFull.has(request.jobId);
      lineOf(looks ? this.#waitingForLook : this.#waiting, request.jobId).push(waiting);
      this.#count++;
      this.#begin();
    });
  }

  /** How many run, and how many wait to. */
  load(): { running: number; waiting: number } {
    return { running: this.#batches + this.#lines, waiting: this.#count };
  }

  #begin() {
    if (!this.#looking && this.#waitingForLook.size > 0) void this.#look();
    while (this.#lines < this.#limits.lines) {
      const line = this.#waitingForLine.shift();
      if (!line) break;
      void this.#runLine(line);
    }
    while (this.#batches < this.#limits.batches) {
      const batch = this.#takeBatch();
      if (batch.length === 0) break;
      void this.#runBatch(batch);
    }
    this.#sweepWhileWaiting();
  }

  #takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    for (const [jobId, line] of this.#waiting) {
      if (this.#taken.has(jobId)) continue;
      this.#waiting.delete(jobId);
      const left = line.filter(isUnanswered);
      if (left.length > 0) this.#taken.add(jobId);
      batch.push(...left);
      if (batch.length >= this.#limits.batch) break;
    }
    return batch;
  }

  async #runBatch(batch: Waiting[]) {
    this.#batches++;
    const results = await this.#inTime(batch, claimTogether(this.#db, batch));
    this.#batches--;
    this.#settle(batch, results);
    const held = batch.filter(isUnanswered);
    for (const jobId of jobsOf(batch)) this.#taken.delete(jobId);
    for (const jobId of jobsOf(held)) {
      this.#taken.add(jobId);
      this.#waitingForLine.push(held.filter(({ request }) => request.jobId === jobId));
    }
    this.#begin();
  }

  async #runLine(line: Waiting[]) {
    const [jobId = 0n] = jobsOf(line);
    // Those who came while it waited for this line come after it.
    const batch = [...line, ...(this.#waiting.get(jobId) ?? [])].filter(isUnanswered);
    this.#waiting.delete(jobId);
    this.#lines++;
    const results = await this.#inTime(batch, claimInLine(this.#db, batch));
    this.#lines--;
    this.#settle(batch, results);
    this.#taken.delete(jobId);
    this.#begin();
  }

  /** However many ask for jobs that are full, one statement tells them all. */
  async #look() {
    this.#looking = true;
    const batch = [...this.#waitingForLook.values()].flat().filter(isUnanswered);
    this.#waitingForLook.clear();
    const results = await this.#inTime(batch, refuseTogether(this.#db, batch));
    this.#looking = false;
    this.#settle(batch, results);
    // A slot was free when these looked: now it is for the lock to say who gets it.
    for (const waiting of batch.filter(isUnanswered)) {
      this.#seenFull.delete(waiting.request.jobId);
      lineOf(this.#waiting, waiting.request.jobId).push(waiting);
    }
    this.#begin();
  }

  /** The results; undefined when they came too late, or not at all, and all have been answered. */
  async #inTime<T>(batch: Waiting[], work: Promise<T>): Promise<T | undefined> {
    for (const waiting of batch) waiting.running = true;
    const timer = setTimeout(() => {
      for (const waiting of batch) this.#answer(waiting, { kind: 'unknown' });
    }, this.#limits.answerMs);
    try {
      return await work;
    } catch (error) {
      if (!batch.some(isUnanswered)) this.#onLateError(error);
      for (const waiting of batch) this.#fail(waiting, error);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Answers those who have an outcome; the others go on waiting. */
  #settle(batch: Waiting[], results: (Result | undefined)[] | undefined) {
    for (const [index, waiting] of batch.entries()) {
      const result = results?.[index];
      waiting.running = false;
      if (result === undefined || result.kind === 'locked-elsewhere') continue;
      if (result.kind === 'full') this.#remember(waiting.request.jobId);
      this.#answer(waiting, result);
    }
  }

  #remember(jobId: bigint) {
    if (this.#seenFull.size >= MOST_HINTS) this.#seenFull.clear();
    this.#seenFull.add(jobId);
  }

  #answer(waiting: Waiting, settled: Settled) {
    if (waiting.answered) return;
    waiting.answered = true;
    this.#count--;
    waiting.resolve(settled);
  }

  #fail(waiting: Waiting, error: unknown) {
    if (waiting.answered) return;
    waiting.answered = true;
    this.#count--;
    waiting.reject(error);
  }

  #sweepWhileWaiting() {
    if (this.#sweeper || this.#count === 0) return;
    this.#sweeper = setTimeout(() => {
      this.#sweeper = undefined;
      this.#sweep();
      this.#sweepWhileWaiting();
    }, SWEEP_MS);
  }

  /** Answers those whose turn has not come in time. */
  #sweep() {
    const late = Date.now() - this.#limits.waitMs;
    const lines = [this.#waiting, this.#waitingForLook].flatMap((map) => [...map.values()]);
    for (const waiting of [...lines, ...this.#waitingForLine].flat())
      if (waiting.since < late && !waiting.running) this.#answer(waiting, { kind: 'busy' });
  }
}

const isUnanswered = ({ answered }: Waiting) => !answered;
const jobsOf = (batch: Waiting[]) => new Set(batch.map(({ request }) => request.jobId));

function lineOf(map: Map<bigint, Waiting[]>, jobId: bigint): Waiting[] {
  const line = map.get(jobId) ?? [];
  map.set(jobId, line);
  return line;
}
