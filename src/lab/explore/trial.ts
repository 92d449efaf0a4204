import type { Database } from '../../db/client.ts';
import type { Session } from '../../db/session.ts';

/** How one session ended: the value that its program returned, or the error that it threw. */
export type Ending = { value: unknown } | { error: unknown };

/**
 * Waits for a number of milliseconds. In the explorer, it waits until the scheduler lets time pass.
 */
export type Sleep = (milliseconds: number) => Promise<unknown>;

/** The work of one session. A program that pauses must use `sleep`, so that the scheduler knows. */
export type Program = (db: Database, sleep: Sleep) => Promise<unknown>;

/** The final state of a schedule, and its faults. */
export interface Assessment {
  /** The names of the faults, such as `oversold`. */
  faults: string[];
  /** The state at the end, as one line for the transcript. */
  summary: string;
}

/**
 * One strategy in one situation, with a number of sessions. The engine itself knows only sessions,
 * statements and waits. The trial has everything else.
 */
export interface Trial {
  /** Puts the tables into the same state before every schedule. */
  setUp(admin: Session): Promise<void>;
  /** A program for each session. */
  sessions: Program[];
  /** Makes time pass in the tables. `Execution.choices` says when a scheduler may choose this. */
  passTime?(admin: Session): Promise<void>;
  /** Sessions (from 1) whose connection the scheduler may cut, each at most once in a schedule. */
  cuts?: number[];
  /**
   * The first transaction of this session (from 1) that sends such a statement cannot commit. Its
   * COMMIT becomes a ROLLBACK.
   */
  rollsBack?: { session: number; after: RegExp };
  judge(admin: Session, endings: Ending[]): Promise<Assessment>;
}

/** Thrown in a session after its transaction was rolled back by `rollsBack` of the trial. */
export class RolledBackByTrial extends Error {
  override name = 'RolledBackByTrial';
}

/** Whether a rollback of the trial is this error or its cause. */
export function isRollback(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RolledBackByTrial) return true;
  return false;
}
