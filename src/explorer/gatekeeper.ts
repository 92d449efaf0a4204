import type { Session, Statement } from '../platform/db/session.ts';
import type { Fate, Step, StepResult } from './step.ts';
import { causesOf, type Ending } from './trial.ts';

/**
 * Thrown if a program does something that no schedule can show. Its schedules then prove nothing.
 */
export class Unplayable extends Error {
  override name = 'Unplayable';
}

/**
 * Throws if the program of a session was refused. We prefer the session's own error, because it
 * names the line in the program.
 */
export function assertPlayable(refusal: Unplayable | undefined, ending: Ending) {
  if (!refusal) return;
  throw 'error' in ending && causesOf(ending.error).includes(refusal) ? ending.error : refusal;
}

/** The session below a gate. */
export interface GatedSession extends Session {
  /**
   * Whether this statement is no step. Such a statement is sent immediately. The function is
   * missing if statements such as BEGIN wait for the next step.
   */
  passes?(statement: Statement): boolean;
  /** Whether a transaction is open. The function is missing if only the gate knows. */
  isInTransaction?(): boolean;
}

/**
 * Whether the trial rolls back the open transaction of this backend. A gate asks after each step
 * that succeeds.
 */
export type IsDoomed = (pid: number) => Promise<boolean>;

/** The part of a gate that the scheduler needs for deaths. */
export interface Guard {
  /** Whether the death of the session would end a transaction or free a lock. */
  readonly holdsSomething: boolean;
  /** Whether an autocommit write has run, and is not committed yet. */
  readonly isBetweenHalves: boolean;
  /** Whether the gate can let a statement fail. A gate on the wire cannot. */
  readonly canFail: boolean;
  die(): Promise<void>;
}

/** The functions of the scheduler that a gate calls. */
export interface Gatekeeper {
  /** Whether the program has ended. Then nobody awaits a statement that still runs. */
  readonly hasEnded: boolean;
  /**
   * Resolves when the scheduler starts this step. Never resolves if the process has died.
   */
  arrive(step: Step): Promise<Fate>;
  /** Called when the step has ended, with the rows of its last statement or with an error. */
  leave(result: StepResult, step?: Step): void;
  /** Called when the session wants to make a step while another step of the session runs. */
  waitsInLine(): void;
  /** Called at the end of a step that ran while another step of the session waited. */
  leaveBeside(result: StepResult, step: Step): void;
  /**
   * Called when the program does something that no schedule can show. The program also gets the
   * error.
   */
  refuse(error: Unplayable): void;
  /** Called when the program has died and PostgreSQL has ended its transaction. */
  dead(): void;
}
