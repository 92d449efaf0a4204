import type { Database } from '../platform/db/client.ts';
import type { Session } from '../platform/db/session.ts';

/**
 * The end of one session: the value that its program returned, the error that its program threw, or
 * the death of its process.
 */
export type Ending = { value: unknown } | { error: unknown } | { died: true };

/**
 * Waits for a number of milliseconds. In the explorer, the wait ends when the scheduler lets time
 * pass.
 */
export type Sleep = (milliseconds: number) => Promise<unknown>;

/**
 * Does something outside the database, such as sending a mail. In the explorer, each effect is one
 * step. A rollback does not undo an effect.
 */
export type Effect = <T>(does: EffectText | string, act: () => T | Promise<T>) => Promise<T>;

export interface EffectText {
  /** The words of the effect, such as `send mail 1`. */
  text: string;
  /** Whether the effect depends on the time, such as a command on a key with an expiry. */
  readsClock?: true;
  /** Whether the effect stays in the memory of the process. Its answer is never lost. */
  isInMemory?: true;
  /** Whether the effect is the answer to the client of this session. */
  isAnswer?: true;
  /** Whether the effect kills its process, such as by running out of memory. */
  kills?: true;
}

/**
 * Lends the session itself to a program that sends its own BEGIN and COMMIT. Such a program does
 * not use `db`.
 */
export type Lend = <T>(use: (session: Session) => Promise<T>) => Promise<T>;

/**
 * The work of one session. A program that pauses must use `sleep`, and a program with effects must
 * use `effect`. So the scheduler knows of each pause and effect.
 */
export type Program = (db: Database, sleep: Sleep, effect: Effect, lend: Lend) => Promise<unknown>;

/** The final state of a schedule, and its faults. */
export interface Assessment {
  /** The names of the faults, such as `oversold`. */
  faults: string[];
  /** The state at the end, as one line for the transcript. */
  summary: string;
  /** Remarks on what is wrong and still no fault, such as a wrong number in an answer. */
  remarks?: string[];
  /** The error that explains the faults, such as that of a failed assertion. */
  cause?: unknown;
  /**
   * Numbers that a race adds up over its rounds, such as the number of tasks that were done twice.
   */
  counts?: Record<string, number>;
}

/**
 * One strategy in one situation, with a number of sessions. The explorer itself knows only
 * sessions, statements and waits. The trial defines everything else.
 */
export interface Trial {
  /** Puts the tables into the same state before every schedule. */
  setUp(admin: Session): Promise<void>;
  /** A program for each session. */
  sessions: Program[];
  /**
   * Whether all sessions run the same program, and differ only by their number and their name. If
   * two such sessions change places in a schedule, the same happens, with other names.
   */
  areIdentical?: boolean;
  /** Whether session 2 begins after session 1, and so on. By default any session may begin. */
  beginsInOrder?: boolean;
  /**
   * Whether session 1 runs alone before the other sessions begin. Only the process of session 1 may
   * then die. If `timePasses` is set, time passes before the other sessions begin.
   */
  hasPrologue?: boolean;
  /**
   * The process of each session, as any number. Sessions of one process die together. By default
   * each session has a process of its own.
   */
  processes?: number[];
  /** The maximum number of processes that may die in a schedule. By default no process dies. */
  deaths?: number;
  /**
   * Called when a process dies. The memory of the process is lost, and the process starts again. So
   * a session that has not begun runs in the new process. Without this function, such a session
   * dies with the process.
   */
  died?(process: number): void;
  /**
   * The maximum number of lost answers to commits and effects in a schedule. The program then gets
   * the error of a lost connection. By default no answer is lost.
   */
  lostAnswers?: number;
  /**
   * Makes a program that runs alone after the sessions have ended, such as a new worker. The
   * scheduler has no choice while this program runs. Time passes before the program, unless
   * `afterwardsAtOnce` is set.
   */
  afterwards?(endings: Ending[]): Program;
  /** Whether the program of `afterwards` begins immediately, before time passes. */
  afterwardsAtOnce?: boolean;
  /** Whether the scheduler may let time pass. `Choices` says when. */
  timePasses?: boolean;
  /**
   * Whether the set-up may make a lease. Time may then pass before the first change. By default, time
   * passes only after a change.
   */
  hasLeases?: boolean;
  /**
   * Called after each step that may have committed. Looks at the rows that everybody sees now.
   */
  onCommit?(admin: Session): Promise<void>;
  /** Called after each step. Throws if something outside the database is lost, such as a store. */
  assertIntact?(): void;
  /** Lets time pass outside the database, such as in a key-value store. */
  passTime?(): Promise<void>;
  /**
   * Returns the leases and keys that ended when the clock jumped. An example is `the lease of W1 on
   * task 1 ends`.
   */
  runOut?(admin: Session): Promise<string[]>;
  /**
   * The sessions (from 1) whose connection the scheduler may cut. Each connection is cut at most
   * once in a schedule.
   */
  cuts?: number[];
  /**
   * The scheduler may let one statement of this session (from 1) fail, at most once in a schedule.
   * PostgreSQL cancels the statement, as at a timeout. `mayFail` says which statements.
   */
  fails?: number;
  /**
   * The first transaction of this session (from 1) that writes to this table cannot commit. Its
   * COMMIT becomes a ROLLBACK.
   */
  rollsBack?: { session: number; table: string };
  /**
   * Judges the state at the end. `last` is the end of the program that ran afterwards. `backends`
   * are the process ids of the backends of the sessions, followed by the process id for the program
   * that ran afterwards.
   */
  judge(
    admin: Session,
    endings: Ending[],
    last?: Ending,
    backends?: readonly number[],
  ): Promise<Assessment>;
}

/** Returns the same trial, but any session may begin. */
export const inAnyOrder = (trial: Trial): Trial => ({
  ...trial,
  beginsInOrder: false,
  hasPrologue: false,
});

/** Thrown in a session after its transaction was rolled back by `rollsBack` of the trial. */
export class RolledBackByTrial extends Error {
  override name = 'RolledBackByTrial';
}

/** The errors of the statements that the scheduler let fail. They are real errors of PostgreSQL. */
const failedByTrial = new WeakSet<object>();

/** Notes that the scheduler has caused this error. */
export function noteFailure(error: unknown) {
  if (typeof error === 'object' && error !== null) failedByTrial.add(error);
}

/**
 * The code of `RolledBackByTrial` for a remote program (see `Remote`). PostgreSQL itself has no
 * such code.
 */
export const ROLLED_BACK_BY_TRIAL = '40LAB';

/** Thrown in a session that lost the answer to a step. The cause is the error of the driver. */
export class AnswerLost extends Error {
  override name = 'AnswerLost';
  readonly code = 'CONNECTION_CLOSED';
}

/** Whether the scheduler has caused this error. A strategy need not handle such an error. */
export const isOfTrial = (error: unknown): boolean =>
  isRollbackOfTrial(error) ||
  causesOf(error).some((cause) => cause instanceof AnswerLost || failedByTrial.has(cause));

export const isRollbackOfTrial = (error: unknown): boolean =>
  causesOf(error).some((cause) => cause instanceof RolledBackByTrial || isCoded(cause));

/** The error, its cause, the cause of its cause, and so on. */
export function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  return causes;
}

const isCoded = (error: Error) => 'code' in error && error.code === ROLLED_BACK_BY_TRIAL;
