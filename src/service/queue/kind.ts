import type { Transaction } from '../../platform/db/client.ts';

/** A task that a worker runs now. */
export interface Attempt<Payload = unknown> {
  taskId: bigint;
  /** The sequence number of the attempt. The first attempt has the number 1. */
  number: number;
  /** The number of attempts that may still follow if this attempt fails. */
  attemptsLeft: number;
  payload: Payload;
  /** Aborted if the attempt takes too long or loses its task, or if the worker stops. */
  signal: AbortSignal;
  /**
   * Throws a `LeaseLost` if another worker may have the task. Call this before every side effect
   * outside of the database. The signal alone is not enough. While the event loop is blocked, a
   * lease may end before the signal is aborted.
   */
  assertHeld(): void;
}

/** The end of an attempt. An error that `run` throws counts as `failed`. */
export type AttemptOutcome = (
  | { kind: 'done' }
  | {
      kind: 'failed';
      error: string;
      /** The pause before the next attempt. The default is the result of the kind's `pauseMs`. */
      pauseMs?: number | undefined;
      /** If true, no further attempt follows. */
      final?: boolean;
    }
) & {
  /**
   * Makes further writes in the transaction that writes the outcome. The worker does not call this
   * function if the attempt has lost its task.
   */
  also?: (tx: Transaction) => Promise<void>;
};

/** A kind of task. The queue knows a kind only by this interface. */
export interface TaskKind<Payload = unknown> {
  name: string;
  /** The time limit of one attempt. */
  timeoutMs: number;
  /**
   * Returns the pause after a failed attempt. An attempt that a stopping worker has given back
   * counts in `number`, but does not lower `attemptsLeft`.
   */
  pauseMs(attempt: Pick<Attempt, 'number' | 'attemptsLeft'>): number;
  run(attempt: Attempt<Payload>): Promise<AttemptOutcome>;
}
