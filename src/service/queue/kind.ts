import type { Transaction } from '../db/client.ts';

/** A task that a worker runs now. */
export interface Attempt<Payload = unknown> {
  taskId: bigint;
  /** The running number of the attempt. The first attempt has the number 1. */
  number: number;
  /** How many attempts are left if this attempt fails. */
  attemptsLeft: number;
  payload: Payload;
  /** Aborted if the attempt takes too long or loses its task, or if the worker stops. */
  signal: AbortSignal;
  /**
   * Throws a `LeaseLost` if another worker may have the task. Call this before every act that
   * others can see. The signal is too late if the lease ended while the event loop was blocked.
   */
  assertHeld(): void;
}

/** The end of an attempt. An error that `run` throws counts as `failed`. */
export type AttemptOutcome = (
  | { kind: 'done' }
  | {
      kind: 'failed';
      error: string;
      /** The pause before the next attempt. By default, the kind gives the pause. */
      pauseMs?: number | undefined;
      /** If true, no further attempt follows. */
      final?: boolean;
    }
) & {
  /**
   * Writes more, in the transaction that writes the outcome. Does not run if the attempt has lost
   * its task.
   */
  also?: (tx: Transaction) => Promise<void>;
};

/** A kind of task. The queue knows a kind only by this interface. */
export interface Kind<Payload = unknown> {
  name: string;
  /** The longest time that one attempt may take. */
  timeoutMs: number;
  /**
   * The pause after a failed attempt. The number also counts attempts that were given back. These do
   * not change `attemptsLeft`.
   */
  pauseMs(attempt: Pick<Attempt, 'number' | 'attemptsLeft'>): number;
  run(attempt: Attempt<Payload>): Promise<AttemptOutcome>;
}
