import type { Rows } from '../platform/db/session.ts';
import type { EffectText } from './trial.ts';
import { namesClock, releasesSessionLock } from './words.ts';

/** Rules for steps. The number of schedules depends on these rules. See docs/explorer.md. */
export interface StepModel {
  /**
   * Whether BEGIN is a step of its own. BEGIN takes no snapshot and no lock, so by default it
   * belongs to the step of the next statement.
   */
  beginIsStep: boolean;
  /**
   * Whether an autocommit write is two steps: the write and its commit. Other sessions may run
   * between these two steps.
   */
  autocommitWriteIsTwo: boolean;
}

export const STEP_MODEL: StepModel = { beginIsStep: false, autocommitWriteIsTwo: true };

/** One step of a session, as it arrives at the gate. */
export interface Step {
  text: string;
  params: unknown[];
  isolation: Isolation;
  /** The preparatory statements that are sent with this step, such as BEGIN. */
  before?: readonly string[];
  /** Whether the program itself has begun a transaction. Undefined if this is unknown. */
  isInTransaction?: boolean;
  /** Whether this is an autocommit write. The gate begins and ends its transaction. */
  isAutocommit?: true;
  /** The effect of the step outside the database. Undefined for a statement. */
  effect?: EffectText;
}

export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

/** Whether all statements of the step's transaction use the snapshot of the first statement. */
export const keepsSnapshot = ({ isolation }: Step): boolean => isolation !== 'read committed';

/** Whether the result of the step depends on the time. */
export const readsClock = ({ text, effect }: Step): boolean =>
  effect ? effect.readsClock === true : namesClock(text);

/**
 * Whether the session may lose the answer to this step. Then the session does not know whether the
 * step happened.
 */
export const mayLoseAnswer = ({ text, effect }: Step): boolean =>
  effect ? !effect.isAnswer && !effect.isInMemory : /^commit$/i.test(text);

/**
 * The scheduler decides the fate of each step. The step runs as usual, or it runs and its answer is
 * lost, or it fails before it does anything.
 */
export type Fate = 'runs' | 'loses-answer' | 'fails';

/**
 * Whether the scheduler may let this step fail. Nobody can handle the failure of a ROLLBACK or of an
 * unlock, and a COMMIT that fails is a question of its own.
 */
export const mayFail = ({ text, effect }: Step): boolean =>
  !effect &&
  !/^(commit|end|rollback|abort|prepare transaction)\b/i.test(text) &&
  !releasesSessionLock(text);

/**
 * The result of a step. With `isLost`, the program got the error of a lost connection instead of
 * this result.
 */
export type StepResult =
  | { rows: Rows; isLost?: true }
  | { value: unknown; isLost?: true }
  | { error: unknown };
