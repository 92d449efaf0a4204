import type { Database } from '../../db/client.ts';
import type { Session } from '../../db/session.ts';

/** How one session ended: with what its program returned, or with what it threw. */
export type Ending = { value: unknown } | { error: unknown };

/** What a schedule left behind, judged by the scenario's own invariants. */
export interface Verdict {
  /** The names of the invariants that do not hold, such as `oversold`. */
  broken: string[];
  /** The state at the end, in a line for the transcript. */
  summary: string;
}

/**
 * What the explorer runs, as data. It knows sessions, statements and waits, and nothing of claims:
 * that is all in here.
 */
export interface Scenario {
  name: string;
  /** Puts the tables into the same state before every schedule. */
  setUp(admin: Session): Promise<void>;
  /** The programs, one a session; they get a database of their own to work on. */
  sessions: ((db: Database) => Promise<unknown>)[];
  /** Makes time pass in the tables: what was to end by itself has ended. Once a schedule. */
  passTime?(admin: Session): Promise<void>;
  /** Sessions (from 1) whose connection may be cut, once a schedule, before any of their steps. */
  cuts?: number[];
  /** A session (from 1) whose transaction is rolled back instead of committed after such a statement. */
  rollsBack?: { session: number; after: RegExp };
  judge(admin: Session, endings: Ending[]): Promise<Verdict>;
}

/** Thrown into a session whose transaction the scenario rolled back. */
export class RolledBackByScenario extends Error {
  override name = 'RolledBackByScenario';
}

/** Whether this error, or one behind it, is a rollback that the scenario made. */
export function isRollback(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RolledBackByScenario) return true;
  return false;
}
