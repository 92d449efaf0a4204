import type { Trial } from '../explorer/trial.ts';
import type { Database } from '../platform/db/client.ts';
import type { Session } from '../platform/db/session.ts';
import type { RaceRoute } from './race/http.ts';
import type { StoreName } from './stores/index.ts';

export { hasRunOut } from '../explorer/time.ts';
export type {
  Assessment,
  Effect,
  Ending,
  Sleep,
  Trial,
} from '../explorer/trial.ts';
export { isOfTrial } from '../explorer/trial.ts';

/** Strategies, the situations in which they are tried, and the faults that a schedule may have. */
export interface Explorable<S extends Strategy = Strategy, N extends Situation = Situation> {
  /** The first part of an address, such as `claims` in `claims/naive`. */
  name: string;
  /** The words for one session and for many, such as `recruiter` and `recruiters`. */
  session: { one: string; many: string };
  /**
   * The events after the end of all sessions, such as `a new worker works until nothing is due`.
   * Undefined if no trial runs a program afterwards.
   */
  afterwards?: string;
  /** All faults that a schedule or a round may have. The gravest fault comes first. */
  faults: readonly [Fault, ...Fault[]];
  /** The promises that strategies make, by name. */
  promises: Readonly<Record<string, Pledge>>;
  /** The situation in which the judge runs many sessions at full speed. */
  crowd: N;
  /**
   * The number of schedules of three sessions that the judge also plays, in each situation without a
   * fixed number of sessions. Undefined if it plays none.
   */
  mostOfThree?: number;
  /** The situations in which a strategy is tried. The first situation is the default. */
  situationsOf(strategy: S): readonly [N, ...N[]];
  /** Makes the trial of one strategy in one situation. */
  trial(strategy: S, situation: N, sessions: number): Trial;
}

/**
 * A problem that production must solve, with all strategies that the workshop teaches. The judge,
 * the races and the pages know a chapter only by this interface.
 */
export interface Chapter<S extends Strategy = Strategy, N extends Situation = Situation>
  extends Explorable<S, N> {
  /** The problem, in a sentence for a person. */
  question: string;
  /**
   * The name of the list of side effects, such as `Mails sent`. Undefined if the strategies have no
   * side effects.
   */
  ledger?: string;
  /**
   * The folder with the migrations of the chapter's own tables. All chapters share each scratch
   * database, so each chapter has its own schema, such as `lab_claims`.
   */
  migrations: string;
  /** The folder of production's code for this problem, such as `src/service/claims`. */
  production: string;
  /** The strategies, in the order of the workshop. */
  strategies: readonly S[];
  race: Race<S> | CrashRace<N>;
  /** An SQL expression that names a row, for each table whose rows may be locked. */
  lockable: Readonly<Record<string, string>>;
  /** The rules for programs of any language. Undefined if no program can be tried. */
  programs?: ProgramRules<S>;
  /** The rules for scripts of SQL. Undefined if no lesson has a script. */
  sql?: SqlRules<S>;
  /** Reads the committed state of a strategy in the form that the page shows. */
  readState(admin: Session, strategy: S): Promise<ShownState>;
  /**
   * Returns the strategy that a file exports by default. Returns undefined if the export is no
   * strategy. `again` evaluates the file anew, as a new process does, and returns the default
   * export.
   */
  strategyOf(exported: unknown, name: string, again: () => unknown): S | undefined;
  /** The name of the function of each strategy, such as `claim`. */
  entry: string;
  /** An example of a strategy's default export, for help texts and messages. */
  example: string;
}

/**
 * A rule that translates HTTP answers. An answer with this status means an outcome of this kind. If
 * the rule has a word, the body of the answer must contain the word.
 */
export interface AnswerRule {
  kind: string;
  status: number;
  word?: string;
}

/** The rules that turn a program with an HTTP server into a strategy. */
export interface ProgramRules<S extends Strategy = Strategy> {
  /** The rules for programs that answer as production does. */
  answers: readonly AnswerRule[];
  /** The path of each request, such as `/claim-job`. */
  path: string;
  /**
   * Returns the query string of a session's request, for a program that uses its own tables. The
   * first session has the number 1.
   */
  queryOf(session: number): string;
  /**
   * `ask` sends a session's request with a query string, and returns the kind of the answer.
   * `capacity` is the limit in the program's own code. Undefined if the program reads its limit.
   */
  strategyOf(
    name: string,
    ask: (session: number, query: string) => Promise<string>,
    capacity?: number,
  ): S;
  /** The limits that a program may have in its own code. */
  capacities: readonly number[];
  /**
   * Returns a line for a person if the faults are only in these situations. Undefined if there is
   * nothing to say.
   */
  hintOf(situations: readonly string[]): string | undefined;
}

/**
 * The rules that turn a script of SQL into a strategy. A script has names such as `:job`, and may
 * have commands such as `\send :task`.
 */
export interface SqlRules<S extends Strategy = Strategy> {
  /** The names that have a value before the first statement, and the words for each. */
  names: Readonly<Record<string, string>>;
  /** The commands that the script may have, and the words for each. */
  commands: Readonly<Record<string, string>>;
  /** How the lab reads the answer, in sentences for a person. */
  answer: string;
  strategyOf(name: string, run: RunScript): S;
}

/** The value of a name in a script. Null if the statement that gives the value found no row. */
export type ScriptValue = string | bigint | boolean | null;

/**
 * Runs a script once. `commands` has a function for each command of the script. Throws the error of
 * the statement that failed. After an error, no transaction is open.
 */
export type RunScript = (
  db: Database,
  names: Readonly<Record<string, ScriptValue>>,
  commands?: Readonly<Record<string, (value: ScriptValue) => Promise<unknown>>>,
) => Promise<ScriptEnd>;

export interface ScriptEnd {
  /** The statements outside of transactions and in committed transactions, in their order. */
  ran: readonly RanStatement[];
  /** The values of all names at the end. */
  names: ReadonlyMap<string, ScriptValue>;
  /** Whether every try of the script ended in a conflict. */
  hasGivenUp: boolean;
}

export interface RanStatement {
  verb: 'select' | 'insert' | 'update' | 'delete' | 'other';
  /** The first table of the statement. Empty if there is none. */
  table: string;
  /** How many rows the statement returned or changed. */
  rows: number;
}

/** One way to solve the problem of a chapter. Each chapter adds the strategy's function. */
export interface Strategy {
  /** The second part of an address, such as `row-lock`. */
  name: string;
  /** How the strategy works, in one line. */
  idea: string;
  /** The name of one of the chapter's promises, or `nothing`. */
  promise: string;
  /** The store that the strategy needs beside PostgreSQL. A machine may lack the store. */
  needs?: StoreName;
  /**
   * The name of the strategy's file in `strategies`, without `.ts`. By default the name of the
   * strategy.
   */
  file?: string;
}

/** The state before the first step, and the events that may come later. Chapters add fields. */
export interface Situation {
  name: string;
  idea: string;
  /** The number of sessions, if the situation fixes the number. */
  sessions?: number;
  /** The maximum number of schedules that are explored. By default all schedules are explored. */
  most?: number;
  /**
   * The name of the fault that a person suspects here. If no schedule has a fault, the page asks
   * the `dare` of this fault. The default is the chapter's gravest fault.
   */
  suspect?: string;
}

/** The number of sessions in a situation if the caller asks for `asked` sessions. */
export const sessionsIn = ({ sessions }: Situation, asked: number): number => sessions ?? asked;

export interface Fault {
  /** The name of the fault, such as `oversold`. */
  name: string;
  /** The fact that this fault makes false. */
  fact: string;
  /** The words after a number of schedules, such as `oversold` in "18 oversold". */
  inWords: string;
  /** The verdict on a strategy whose gravest fault this is, such as `oversells`. */
  verdict: string;
  /** The question to a person who plays, such as `Can you oversell it?` */
  dare: string;
  /**
   * The fault is checked only if the strategy has this option. A fault without an option is always
   * checked.
   */
  option?: { name: string; code: string };
}

/** Whether schedules of this strategy can show the fault. */
export const isChecked = ({ option }: Fault, strategy: Strategy): boolean =>
  option === undefined || Boolean((strategy as unknown as Record<string, unknown>)[option.name]);

/** The faults that the explorer itself finds, in any chapter. */
export const engineFaults = {
  deadlock: {
    name: 'deadlock',
    fact: 'nobody is caught in a deadlock',
    inWords: 'deadlocked',
    verdict: 'deadlocks',
    dare: 'Can you make it deadlock?',
  },
  hang: {
    name: 'hang',
    fact: 'every session ends',
    inWords: 'never ended',
    verdict: 'fails',
    dare: 'Can you keep it from ever ending?',
  },
  error: {
    name: 'error',
    fact: 'no error goes unhandled',
    inWords: 'ended in an error',
    verdict: 'fails',
    dare: 'Can you make it end in an error?',
  },
} as const satisfies Record<string, Fault>;

/** Says which orders fairness leaves out (see `Polls` in `src/explorer/polls.ts`). */
export const sayHeldBack = ({ session }: Explorable): string =>
  `orders in which one ${session.one} asks the same again and again, and the others stand still`;

/** A promise that some strategies make. */
export interface Pledge {
  /** The promise within a sentence, such as `the capacity`. */
  inWords: string;
  /** The faults that break the promise. */
  brokenBy: readonly Fault[];
}

/** The committed state as a person sees it: a row of marks, and two texts. */
export interface ShownState {
  marks: Mark[];
  /** The state in short, such as `3 claims committed, 4 slots`. */
  summary: string;
  /** The details, such as `3 from before, Recruiter 1`. */
  detail: string;
  /** Whether the committed state alone shows a fault. */
  isWrong: boolean;
}

export interface Mark {
  /**
   * The holder: nobody, an earlier holder from before the first step, or the session with this
   * number.
   */
  by: 'nobody' | 'earlier' | number;
  /**
   * The state of the marked thing, such as `running`, if there are more states than taken and free.
   */
  label?: string;
  /** Whether this mark is above the limit. */
  isExcess: boolean;
}

export interface RaceSize {
  /** How many sessions begin at the same moment. */
  sessions: number;
  /** The number of slots, tasks or keys that the sessions share. */
  capacity: number;
}

/** The parts that both kinds of races have. */
interface AnyRace {
  /** The strategies that race if the caller names none. */
  shown: readonly [string, ...string[]];
  /** The size of a race if the caller names none. */
  usual: RaceSize;
  /** The name of the option for `capacity`. The option for `sessions` is the chapter's word. */
  capacityOption: string;
}

/**
 * A race in which each strategy is a server that answers requests, also over HTTP. `Q` is the type
 * of a session's request, and `A` is the type of its answer.
 */
export interface Race<S extends Strategy = Strategy, Q = unknown, A = unknown> extends AnyRace {
  kind: 'requests';
  /** Makes rows for one race. */
  lay(db: Database, size: RaceSize): Promise<Course<Q>>;
  /** Starts a server that answers requests by this strategy. */
  start(strategy: S, db: Database): RaceServer<Q, A>;
  /** The HTTP status of an answer. */
  statusOf(answer: A): number;
  /** Counts the result of a race in the tables. */
  count(db: Database, course: Course<Q>): Promise<Standing>;
  /** Removes the rows of all races. Rows that later races use again may stay. */
  clear(db: Database): Promise<void>;
  /** Production's HTTP route for the same request. */
  overHttp: RaceRoute<A>;
  words: RaceWords;
}

/**
 * A race in which strategies run the trial of the chapter. The sessions run at full speed, and some
 * of their processes are killed at random moments. Then the trial counts the results.
 */
export interface CrashRace<N extends Situation = Situation> extends AnyRace {
  kind: 'crashes';
  situation(size: RaceSize): N;
  /** The maximum number of steps that a process makes before it is killed. */
  mostSteps(size: RaceSize): number;
  /** The counts of an `Assessment` that the table shows, in this order. */
  counts: readonly string[];
  words: CrashWords;
}

/** Texts about a race with crashes. `start` is a sentence. */
export interface CrashWords {
  /** The name of a session, from 1, such as `Worker 3`. */
  session(number: number, size: RaceSize): string;
  /** The sentence before the race, such as `5 workers do 20 tasks, and some workers are killed.` */
  start(size: RaceSize): string;
  /** The words after the name of a strategy without a fault, such as `did every task once`. */
  held: string;
  /** Names the wrong results, such as `12 done twice, 3 lost`. Empty if there are none. */
  sum(counts: Readonly<Record<string, number>>): string;
}

/** Returns the counts with their words. Leaves out counts of zero, which say nothing. */
export const sumInWords = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, many]) => many > 0)
    .map(([what, many]) => `${many} ${what}`)
    .join(', ');

/** The requests of one race, for rows that are already in the tables. */
export interface Course<Q = unknown> {
  capacity: number;
  /** One request for each session, in the order of the sessions. */
  requests: Q[];
  /** The same requests as query strings of the route. */
  queries: string[];
  /** The ids that callers need to write requests of their own. */
  ids: Record<string, unknown>;
  /** The number of the session, from 1, that makes this request. 0 if no session makes it. */
  sessionOf(request: Q): number;
}

export interface RaceServer<Q = unknown, A = unknown> {
  ask(request: Q): Promise<A>;
}

/** The result of a race so far. */
export interface Standing {
  capacity: number;
  /** The number of successes, counted in the tables. */
  taken: number;
  faults: string[];
  /** The result in words, such as `5 claims in the table for 4 slots`. */
  summary: string;
}

/** Texts about a race. `start` is a sentence. The other texts come after the name of a strategy. */
export interface RaceWords {
  /**
   * The sentence before the race, such as `8 recruiters claim one job at the same moment. The job
   * takes 4.`
   */
  start(size: RaceSize): string;
  held(capacity: number): string;
  /** The words about the worst round, such as `at worst 5 recruiters hold 4 slots`. */
  worst(taken: number, capacity: number): string;
  nobody: string;
}
