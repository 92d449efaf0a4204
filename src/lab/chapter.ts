import type { Database } from '../db/client.ts';
import type { Session } from '../db/session.ts';
import type { Trial } from './explore/trial.ts';
import type { RaceRoute } from './race/http.ts';

export type { Assessment, Ending, Sleep, Trial } from './explore/trial.ts';
export { isRollback } from './explore/trial.ts';

/**
 * A problem that production has to solve, with every way to solve it that the workshop meets. The
 * engine, the judge, the races and the pages know chapters only as this.
 */
export interface Chapter<S extends Strategy = Strategy, N extends Situation = Situation> {
  /** The first part of an address, such as `claims` in `claims/naive`. */
  name: string;
  /** The problem, in a sentence for a person. */
  question: string;
  /** The question of a game that is won by the gravest fault, such as `Can you oversell it?` */
  dare: string;
  /** A session in the words of the chapter. */
  session: { one: string; many: string };
  /** The folder with the migrations of the chapter's own tables. */
  migrations: string;
  /** The folder of production's answer, such as `src/claims`. */
  production: string;
  /** In the order in which the workshop meets them. */
  strategies: readonly S[];
  /** Everything that a schedule or a round may be found guilty of, the gravest fault first. */
  faults: readonly [Fault, ...Fault[]];
  /** The promises that strategies make, by name. */
  promises: Readonly<Record<string, Pledge>>;
  /** The situation of a crowd that the judge lets go at full speed. */
  crowd: N;
  race: Race<S>;
  /** Names of the rows that may be locked, in SQL, by their table. */
  lockable: Readonly<Record<string, string>>;
  /** The situations in which a strategy is tried. The first situation is the usual one. */
  situationsOf(strategy: S): readonly [N, ...N[]];
  /** One strategy in one situation. */
  trial(strategy: S, situation: N, sessions: number): Trial;
  /** The committed state, as the page shows it to a person. */
  readState(admin: Session): Promise<ShownState>;
  /** The strategy in the default export of a file. Undefined if there is none. */
  strategyOf(exported: unknown, name: string): S | undefined;
  /** How such a default export looks. */
  example: string;
}

/** One way to solve the problem of a chapter. Each chapter adds the function that does so. */
export interface Strategy {
  /** The second part of an address, such as `row-lock`. */
  name: string;
  /** How it works, in a line. */
  idea: string;
  /** One of the promises of the chapter, or `nothing`. */
  promise: string;
  /** The name of its file in the chapter's `strategies`. By default the name of the strategy. */
  file?: string;
}

/** How things stand at the beginning, and what may happen. Each chapter adds what it needs. */
export interface Situation {
  name: string;
  idea: string;
}

export interface Fault {
  /** Such as `oversold`. */
  name: string;
  /** The fact that this fault denies. */
  fact: string;
  /** The fault after a number of schedules, such as `oversold` in "18 oversold". */
  inWords: string;
  /** The verdict on a strategy whose gravest fault this is, such as `oversells`. */
  verdict: string;
}

/** The faults that the engine itself finds, in any chapter. */
export const engineFaults = {
  deadlock: {
    name: 'deadlock',
    fact: 'nobody is caught in a deadlock',
    inWords: 'deadlocked',
    verdict: 'deadlocks',
  },
  hang: {
    name: 'hang',
    fact: 'every session ends',
    inWords: 'never ended',
    verdict: 'fails',
  },
  error: {
    name: 'error',
    fact: 'no error goes unhandled',
    inWords: 'ended in an error',
    verdict: 'fails',
  },
} as const satisfies Record<string, Fault>;

/** A promise that some strategies make. */
export interface Pledge {
  /** The promise within a sentence, such as `the capacity`. */
  inWords: string;
  /** The fault that breaks the promise. */
  brokenBy: Fault;
}

/** The committed state for a person: a row of marks, and words. */
export interface ShownState {
  marks: Mark[];
  /** Such as `3 claims committed, 4 slots`. */
  summary: string;
  /** Such as `3 from before, Recruiter 1`. */
  detail: string;
  /** The state itself is a fault already. */
  isWrong: boolean;
}

export interface Mark {
  /** `earlier`: taken before the first step. A number: taken by this session. */
  by: 'nobody' | 'earlier' | number;
  /** There are more of these than there may be. */
  isExcess: boolean;
}

export interface RaceSize {
  /** How many sessions begin at the same moment. */
  sessions: number;
  /** How many of them can have what they race for. */
  capacity: number;
}

/** How strategies race, and how a race is told. `Q` is a request of one session, `A` its answer. */
export interface Race<S extends Strategy = Strategy, Q = unknown, A = unknown> {
  /** Prepares a scratch database for races. */
  prepare(db: Database): Promise<void>;
  /** Makes rows for one race. */
  lay(db: Database, size: RaceSize): Promise<Course<Q>>;
  /** A server that has just started, and claims, works … by this strategy. */
  start(strategy: S, db: Database): RaceServer<Q, A>;
  /** The status that HTTP has for an answer. */
  statusOf(answer: A): number;
  /** How the race ended, from the tables. */
  count(db: Database, course: Course<Q>): Promise<Standing>;
  /** Removes the rows of all races. */
  clear(db: Database): Promise<void>;
  /** How production is asked for the same over HTTP. */
  overHttp: RaceRoute<A>;
  words: RaceWords;
}

/** The rows of one race. */
export interface Course<Q = unknown> {
  capacity: number;
  /** A request for each session, in their order. */
  requests: Q[];
  /** The same requests as queries of the route. */
  queries: string[];
  /** What a caller who makes requests of their own has to know, such as ids. */
  ids: Record<string, unknown>;
  /** The number of the session, from 1, that makes such a request. 0 if there is none. */
  sessionOf(request: Q): number;
}

export interface RaceServer<Q = unknown, A = unknown> {
  ask(request: Q): Promise<A>;
}

/** How a race stands. */
export interface Standing {
  capacity: number;
  /** How many have what they raced for, counted in the tables. */
  taken: number;
  faults: string[];
  /** Such as `5 claims in the table for 4 slots`. */
  summary: string;
}

/** The sentences of a race. Each goes on after the name of a strategy, except the first. */
export interface RaceWords {
  /** Such as `8 recruiters claim one job at the same moment; it takes 4.` */
  start(size: RaceSize): string;
  held(capacity: number): string;
  /** At worst so many had what `capacity` could have. */
  worst(taken: number, capacity: number): string;
  nobody: string;
}
