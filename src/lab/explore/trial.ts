import type { Database } from '../../db/client.ts';
import type { Session } from '../../db/session.ts';

/** How one session ended: the value that its program returned, or the error that it threw. */
export type Ending = { value: unknown } | { error: unknown };

/** Waits so many milliseconds. A session of the explorer waits until the scheduler lets time pass. */
export type Sleep = (milliseconds: number) => Promise<unknown>;

/** The work of one session. Everything that waits for time has to wait by `sleep`. */
export type Program = (db: Database, sleep: Sleep) => Promise<unknown>;

/** The state that a schedule left behind, and its faults. */
export interface Assessment {
  /** The names of the faults, such as `oversold`. */
  faults: string[];
  /** The state at the end, in a line for the transcript. */
  summary: string;
}

/**
 * One strategy in one situation, with so many sessions, as data. The engine knows sessions,
 * statements and waits. All else is in here.
 */
export interface Trial {
  /** Puts the tables into the same state before every schedule. */
  setUp(admin: Session): Promise<void>;
  /** A program for each session. */
  sessions: Program[];
  /** Makes time pass in the tables. A scheduler may choose this once a schedule. */
  passTime?(admin: Session): Promise<void>;
  /** Sessions (from 1) whose connection may be cut, once a schedule, before any of their steps. */
  cuts?: number[];
  /** After such a statement, the transaction of this session (from 1) rolls back and never commits. */
  rollsBack?: { session: number; after: RegExp };
  judge(admin: Session, endings: Ending[]): Promise<Assessment>;
}

/** Thrown into a session whose transaction was rolled back because the trial says so. */
export class RolledBackByTrial extends Error {
  override name = 'RolledBackByTrial';
}

/** Whether this error is a rollback that the trial made, or was caused by one. */
export function isRollback(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RolledBackByTrial) return true;
  return false;
}
