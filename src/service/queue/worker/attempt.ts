import { describe } from '../../../platform/process/errors.ts';
import { timerOf } from '../../../platform/waiting/deadline.ts';
import type { ClaimedTask } from '../claim.ts';
import type { Hold } from '../held.ts';
import type { Attempt, AttemptOutcome, TaskKind } from '../kind.ts';
import { LEASE_MS } from '../limits.ts';

/**
 * The error of an attempt whose task another worker may have claimed. The attempt must stop, and no
 * outcome is written.
 */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of the task has ended');
  }
}

const LONGEST_ERROR = 500;

/** An attempt of this worker, from the claim until its outcome is written or its task is lost. */
export class HeldTask implements Attempt {
  readonly task: ClaimedTask;
  readonly taskId: bigint;
  readonly number: number;
  readonly attemptsLeft: number;
  readonly payload: unknown;
  readonly beganAt = performance.now();
  readonly #abort = new AbortController();
  #heldUntil: number;
  #hasEnded = false;
  #hasLeft = false;
  #tellLeft: () => void = () => undefined;

  /**
   * `askedAt` is the time just before the claim was sent, by the clock of this process. The lease
   * in the database begins later. So this process counts the lease as ended before the database
   * does.
   */
  constructor(task: ClaimedTask, askedAt: number) {
    this.task = task;
    this.taskId = task.id;
    this.number = task.attempt;
    this.attemptsLeft = task.attemptsLeft;
    this.payload = task.payload;
    this.#heldUntil = askedAt + LEASE_MS;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * THE LEASE: true until the lease ends by the monotonic clock of this process. After that time,
   * another worker may have the task. A timer is not enough, because no timer runs while the event
   * loop is blocked.
   */
  get isHeld(): boolean {
    return !this.#hasLeft && performance.now() < this.#heldUntil;
  }

  /**
   * Throws if another worker may have the task. Also throws after the time limit of the attempt,
   * because the attempt has then ended.
   */
  assertHeld() {
    if (this.#hasEnded || !this.isHeld) throw new LeaseLost();
  }

  /** Extends the lease after a renewal. `askedAt` is the time just before the renewal was sent. */
  renewed(askedAt: number) {
    this.#heldUntil = askedAt + LEASE_MS;
  }

  /**
   * Aborts the attempt, because the attempt has lost its task, or because the worker gives the task
   * back. No outcome is written afterwards.
   */
  leave(reason: Error) {
    this.#hasLeft = true;
    this.#abort.abort(reason);
    this.#tellLeft();
  }

  /**
   * Runs the attempt. Resolves to undefined if `leave` was called. An attempt that takes too long
   * fails, even if the `run` of the kind ignores the signal.
   */
  run(kind: TaskKind): Promise<AttemptOutcome | undefined> {
    return new Promise((resolve) => {
      const end = (outcome: AttemptOutcome | undefined) => {
        clearTimeout(timer);
        this.#hasEnded = true;
        resolve(this.#hasLeft ? undefined : outcome);
      };
      this.#tellLeft = () => end(undefined);
      const timer = timerOf(() => {
        const error = new Error(`the attempt took longer than ${kind.timeoutMs / 1_000} s`);
        end(failure(error));
        this.#abort.abort(error);
      }, kind.timeoutMs);
      const running = async () => kind.run(this);
      running().then(end, (error) => end(failure(error)));
    });
  }
}

const failure = (error: unknown): AttemptOutcome => ({ kind: 'failed', error: wordsOf(error) });

/**
 * Returns the text of an error without its stack. For a database error, the text has only codes.
 */
const wordsOf = (error: unknown): string =>
  describe(error)
    .split('\n')
    .filter((line) => !line.startsWith('    at '))
    .join(', ');

/** Shortens the text of an error, and removes the characters that PostgreSQL cannot store. */
export const storable = (text: string): string =>
  Buffer.from(text.slice(0, LONGEST_ERROR)).toString().replaceAll('\0', '');

export const holdOf = ({ taskId: id, number: attempt }: HeldTask): Hold => ({ id, attempt });
