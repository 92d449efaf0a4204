/** The database of a schedule. It is empty before `setUp`. */
export interface Db {
  /**
   * Runs SQL and returns the rows. Each row is an object. `bigint`, `numeric` and types of your own are
   * strings, and arrays are arrays. Without `params`, the text may have several statements.
   */
  query<Row = Record<string, unknown>>(text: string, params?: readonly unknown[]): Promise<Row[]>;
}

/** What a session gets when it begins. */
export interface Given {
  /** The address to connect to. The explorer sees only statements that go through this address. */
  url: string;
  /** Aborted when nobody waits for the session any more, for example because its process dies. */
  signal: AbortSignal;
}

/** A session in the process of the test. All such sessions share the memory of this process. */
export type SessionFunction = (given: Given) => unknown;

/** A session in a process of its own. The process stays for all schedules. */
export interface SessionModule {
  /** The file, as a file URL or a path. A relative path begins in the working directory. */
  module: string | URL;
  /** The name of the exported function. By default the default export. */
  call?: string;
  /** A value for the function, after its `Given`. The value must be JSON. */
  with?: unknown;
}

/**
 * A session that is a command for the shell, in any language. The command starts anew in each
 * schedule, in the working directory. The address is in `DATABASE_URL`. The answer is the text that
 * the command prints on stdout, at most 8,000 characters. An exit code that is not 0 is an error.
 */
export interface SessionCommand {
  command: string;
}

/**
 * A session that is one HTTP request to a server. The server is a command for the shell. It listens
 * on `PORT` and connects to `DATABASE_URL`. Each session has a server of its own, which stays for all
 * schedules. The answer has the fields `status` and `body`. A status of 500 or more is an error.
 */
export interface SessionRequest {
  server: string;
  request: {
    /** By default GET. */
    method?: string;
    path: string;
    headers?: Record<string, string>;
    body?: string;
  };
}

export type SessionOrder = SessionFunction | SessionModule | SessionCommand | SessionRequest;

/** How a session ended. Exactly one of the fields is there. */
export type Answer =
  | { value: unknown; error?: never; died?: never }
  | { error: Error; value?: never; died?: never }
  | { died: true; value?: never; error?: never };

/** The limits of an exploration. */
export interface Most {
  /** By default 500. */
  schedules?: number;
  /** After this time no further schedule begins. By default 60 seconds. */
  seconds?: number;
  /** The steps of one schedule. A session that retries for ever reaches this limit. By default 200. */
  steps?: number;
  /** The time of one step, of `setUp` and of `holds`. By default 10 seconds. */
  secondsPerStep?: number;
  /** The connections of one session. By default 20. */
  connections?: number;
}

export interface Exploring<Names extends string = string> {
  /**
   * The address of a PostgreSQL server. The account needs the right to create databases. By default
   * the explorer starts the embedded server, if the package of its programs is installed.
   */
  database?: string | undefined;
  /** Makes the tables and rows before each schedule. The database is empty. */
  setUp(db: Db): unknown;
  /** Two or three sessions, each with a name. */
  sessions: Record<Names, SessionOrder>;
  /**
   * The rule that must hold when all sessions have ended. The rule is broken if the function throws
   * or returns false. An assertion of a test runner may be the result.
   */
  holds(db: Db, answers: Record<Names, Answer>): unknown;
  /**
   * Whether a session may throw in a schedule. By default an error of a session breaks the rule. Each
   * session must succeed when it runs alone.
   */
  mayFail?: boolean;
  /** The maximum number of processes that die in a schedule. By default 0. */
  crashes?: number;
  /**
   * The maximum number of lost answers to COMMIT in a schedule. By default 0. The session gets an
   * error. This error alone does not break the rule.
   */
  lostAnswers?: number;
  /** Whether two days may pass between two steps, for leases and timeouts in SQL. */
  time?: boolean;
  most?: Most;
  /**
   * Whether to play all schedules, and to count those that break the rule. By default the exploration
   * ends at the first one. It also ends at a schedule that does not end.
   */
  counts?: boolean;
  /**
   * The number of schedules that are played at the same time, each in a database of its own. The
   * result does not depend on this number. By default 1. With more lanes, the functions of the
   * sessions, `setUp` and `holds` run for several schedules at once, so they must keep nothing in
   * memory or in files.
   */
  lanes?: number;
  /** The name of this exploration in its file. By default the names of the sessions. */
  name?: string;
  /**
   * Whether the schedule that breaks the rule is written to a file beside the caller's file. By
   * default true, and false if `CI` is set. The next run plays this schedule first.
   */
  keeps?: boolean;
  /** Called after each schedule, with the number of schedules so far. */
  onSchedule?: (schedules: number) => void;
  /** Ends the exploration. `explore` then throws the reason of the signal. */
  signal?: AbortSignal;
}

/** A schedule that broke the rule. */
export interface Violation {
  /** Why the rule is broken, in one line. */
  rule: string;
  /** The number of the schedule, from 1. 0 if the kept schedule was played first. */
  number: number;
  /** The order of the steps, such as `1,2,2,1`. */
  schedule: string;
  /** The statements and results of all sessions, with notes. */
  transcript: string;
  /** The error of `holds` or of a session. Undefined if a schedule did not end. */
  error: unknown;
  /** Whether the sessions ran one after the other. The fault is then no race. */
  isNoRace: boolean;
}

export interface Found {
  name: string;
  schedules: number;
  /** Whether all schedules were played. */
  isComplete: boolean;
  /** The number of schedules that broke the rule. At most 1 unless `counts` is set. */
  violations: number;
  /** The first schedule that broke the rule. It has the fewest switches between sessions. */
  violation: Violation | undefined;
  /** The file that keeps the schedule. Undefined if no schedule is kept. */
  keptIn: string | undefined;
  /** What a person should know about this exploration. */
  remarks: readonly string[];
  milliseconds: number;
  /** The file and line that called `explore`. */
  calledAt: string;
  /**
   * Throws a `RuleBroken` that explains the violation. Throws a `SearchIncomplete` if not all
   * schedules were played, unless `mayBeIncomplete` is set.
   */
  assertHolds(options?: { mayBeIncomplete?: boolean }): void;
}
