import type { Database, Transaction } from '../../../platform/db/client.ts';
import {
  isCausedBy,
  isConnectionLost,
  isNothingDone,
  SQLSTATE,
} from '../../../platform/db/sqlstate.ts';
import { describe } from '../../../platform/process/errors.ts';
import { pause, pauseAfter } from '../../../platform/waiting/backoff.ts';
import { type Failure, finishDone, finishFailed } from '../finish.ts';
import type { AttemptOutcome, TaskKind } from '../kind.ts';
import { OUTAGE_BACKOFF } from '../limits.ts';
import { pauseBeforeNext } from '../rules.ts';
import { type HeldTask, holdOf, storable } from './attempt.ts';

/** An attempt that has ended. Its outcome is not written yet. */
export interface Ended {
  held: HeldTask;
  kind: TaskKind;
  outcome: AttemptOutcome;
  /** True after a connection was lost during the write. The outcome may have been committed. */
  mayBeWritten?: boolean;
}

/**
 * The result of writing an outcome. `lost`: the attempt had lost its task, and nothing was written.
 * `unknown`: a connection was lost during a write, so the outcome may have been committed. After
 * the loss, either the fence (`stillHeld`) refused the next write, or the lease ended before a
 * write succeeded.
 */
export type Written = 'done' | 'failed' | 'dead' | 'lost' | 'unknown';

type LineName = 'plain' | 'also';
const lineOf = ({ outcome }: Ended): LineName => (outcome.also ? 'also' : 'plain');

/**
 * Returns true if a single outcome can cause the error. The statements of this outcome waited for a
 * lock or took too long.
 */
const holdsUpOthers = (error: unknown): boolean =>
  isCausedBy(error, SQLSTATE.lockNotAvailable) || isCausedBy(error, SQLSTATE.queryCanceled);

export interface OutcomeWriterOptions {
  db: Database;
  onWritten(ended: Ended, written: Written): void;
  /** Called if the database cannot be used now. The writer tries again. */
  onOutage(error: unknown): void;
  /** Called if the database refuses one outcome, or if one outcome must wait behind the others. */
  onRefused(ended: Ended, error: unknown): void;
}

/**
 * Writes outcomes. An outcome that arrives during a write waits. The next write takes all waiting
 * outcomes together. The number of waiting outcomes is limited, because a worker holds a limited
 * number of tasks.
 */
export class OutcomeWriter {
  readonly #options: OutcomeWriterOptions;
  /** Outcomes with `also` wait in a separate line, because they take more statements. */
  readonly #waiting = { plain: [] as Ended[], also: [] as Ended[] };
  readonly #writing = new Map<LineName, Promise<void>>();

  constructor(options: OutcomeWriterOptions) {
    this.#options = options;
  }

  write(ended: Ended) {
    const line = lineOf(ended);
    this.#waiting[line].push(ended);
    if (!this.#writing.has(line)) this.#writing.set(line, this.#writeAll(line));
  }

  /** Resolves when no outcome waits. */
  async isIdle(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing.values());
  }

  async #writeAll(line: LineName) {
    // All attempts that end in this turn of the event loop share the first write.
    await new Promise(setImmediate);
    while (this.#waiting[line].length > 0) await this.#writeBatch(this.#waiting[line].splice(0));
    // No other code runs between the last check of the loop and this line. Otherwise an outcome
    // could arrive in between, and nobody would write it until one more outcome arrives.
    this.#writing.delete(line);
  }

  /**
   * Tries to write the outcomes until the database accepts them or their leases end. A second write
   * of an outcome does no harm. The first write has ended the lease, so the fence (`stillHeld`)
   * refuses the second write.
   */
  async #writeBatch(batch: Ended[]) {
    const { db, onOutage } = this.#options;
    for (let failures = 0; ; failures++) {
      const ours = this.#dropLost(batch);
      if (ours.length === 0) return;
      try {
        return this.#tell(ours, await writeTogether(db, ours));
      } catch (error) {
        if (holdsUpOthers(error)) return this.#writeLater(ours, error);
        if (!isNothingDone(error) && !isConnectionLost(error)) return this.#writeEach(ours, error);
        if (isConnectionLost(error)) for (const each of ours) each.mayBeWritten = true;
        onOutage(error);
      }
      await pause(pauseAfter(failures, OUTAGE_BACKOFF));
    }
  }

  /**
   * Writes the outcomes one at a time, to find the outcome that delays the others. That outcome
   * goes to the end of its line, and no longer delays the others.
   */
  async #writeLater(batch: Ended[], error: unknown) {
    const [only, ...more] = batch;
    if (only && more.length === 0) {
      this.#options.onRefused(only, error);
      this.#waiting[lineOf(only)].push(only);
      return;
    }
    for (const each of batch) await this.#writeBatch([each]);
  }

  /**
   * Writes the outcomes one at a time, because an error of one outcome must not stop the others.
   */
  async #writeEach(batch: Ended[], error: unknown) {
    const [only, ...more] = batch;
    if (only && more.length === 0) return this.#writeFailure(only, error);
    for (const each of batch) await this.#writeBatch([each]);
  }

  /**
   * Handles an outcome that the database refuses. If `also` may be the cause, writes a failed
   * attempt. Otherwise writes nothing, and the task is due again when its lease ends.
   */
  async #writeFailure(ended: Ended, error: unknown) {
    this.#options.onRefused(ended, error);
    if (ended.outcome.also === undefined) return this.#tell([ended], new Set());
    const words = `the outcome could not be written: ${describe(error).split('\n')[0]}`;
    await this.#writeBatch([{ ...ended, outcome: { kind: 'failed', error: words } }]);
  }

  #dropLost(batch: Ended[]): Ended[] {
    const lost = batch.filter(({ held }) => !held.isHeld);
    for (const ended of lost) this.#options.onWritten(ended, lossOf(ended));
    return batch.filter((ended) => !lost.includes(ended));
  }

  #tell(batch: Ended[], accepted: Set<bigint>) {
    for (const ended of batch) {
      const written = accepted.has(ended.held.taskId);
      this.#options.onWritten(ended, written ? resultOf(ended) : lossOf(ended));
    }
  }
}

const lossOf = ({ mayBeWritten }: Ended): Written => (mayBeWritten ? 'unknown' : 'lost');

function resultOf({ held, kind, outcome }: Ended): Written {
  if (outcome.kind === 'done') return 'done';
  return pauseBeforeNext(held, outcome, kind) === undefined ? 'dead' : 'failed';
}

/**
 * Writes outcomes together, and returns the ids of the tasks that were still held. A single
 * statement needs no BEGIN and no COMMIT, and saves two round trips.
 */
async function writeTogether(db: Database, batch: Ended[]): Promise<Set<bigint>> {
  return needsTransaction(batch)
    ? db.transaction((tx) => writeWithAlso(tx, batch))
    : writeOutcomes(db, batch);
}

/** True if the batch takes several statements. */
const needsTransaction = (batch: Ended[]): boolean =>
  batch.some(({ outcome }) => outcome.also) || new Set(batch.map(kindOf)).size > 1;

const kindOf = ({ outcome }: Ended) => outcome.kind;

/**
 * Writes outcomes, and then calls the `also` of each accepted outcome. The `also` of two outcomes
 * of the same lane may write the same rows. Every worker takes the lanes in the same order, so
 * workers do not deadlock.
 */
async function writeWithAlso(tx: Transaction, batch: Ended[]): Promise<Set<bigint>> {
  const accepted = await writeOutcomes(tx, batch);
  for (const { held, outcome } of batch.toSorted(byLane))
    if (accepted.has(held.taskId)) await outcome.also?.(tx);
  return accepted;
}

function byLane({ held: { task: a } }: Ended, { held: { task: b } }: Ended): number {
  if (a.lane === b.lane) return 0;
  return a.lane < b.lane ? -1 : 1;
}

async function writeOutcomes(db: Database | Transaction, batch: Ended[]): Promise<Set<bigint>> {
  const done = batch
    .filter(({ outcome }) => outcome.kind === 'done')
    .map(({ held }) => holdOf(held));
  const failed = batch.flatMap((ended) => failureOf(ended) ?? []);
  const accepted = done.length > 0 ? await finishDone(db, done) : [];
  const rest = failed.length > 0 ? await finishFailed(db, failed) : [];
  return new Set([...accepted, ...rest]);
}

function failureOf(ended: Ended): Failure | undefined {
  const { held, kind, outcome } = ended;
  if (outcome.kind !== 'failed') return undefined;
  const error = storable(outcome.error);
  return { ...holdOf(held), error, pauseMs: pauseBeforeNext(held, outcome, kind) };
}
