import type { Session, Statement } from '../../platform/db/session.ts';
import { type Exploration, type ExploreOptions, explore, type Played } from '../explore.ts';
import type { Stage } from '../stage.ts';
import type { Trial } from '../trial.ts';
import { TableReader, type Tables } from './tables.ts';

/** Everything that the isolation tester needs to play the same schedules. */
export interface Recording {
  exploration: Exploration;
  /** The statements that set up the tables before each schedule. */
  setUp: Statement[];
  schedules: Recorded[];
  /**
   * The tables that we compare, in the order of `query`. We compare a table if a schedule has
   * changed the table, or if a statement names the table.
   */
  compared: string[];
  /** A query for the rows of the compared tables. */
  query: string;
  /** Whether the choice `t` moves the clock of the database. */
  movesTime: boolean;
}

export interface Recorded {
  played: Played;
  /** The rows of the tables after the schedule. Undefined if the schedule did not end. */
  tables: Tables | undefined;
}

/**
 * Returns a statement that sets all sequences to this number. So the set-up and each schedule begin
 * with the same ids. A program may read an id and send this id again. The id must be the same when
 * the tester plays the schedule.
 */
const idsFrom = (number: number) => ({
  text: `select setval(format('%I.%I', schemaname, sequencename)::regclass, ${number})
  from pg_sequences where schemaname not in ('lab_time', 'drizzle')`,
  params: [],
  asArrays: false,
});

/** Explores a trial. Keeps each schedule, and the state of the tables after the schedule. */
export async function record(
  stage: Stage,
  trial: Trial,
  options: ExploreOptions = {},
): Promise<Recording> {
  const reader = await TableReader.open(stage.admin);
  const setUps = new SetUps(stage.admin);
  const schedules: Recorded[] = [];
  const changed = new Set<string>();
  let before: Tables = new Map();
  let tables: Tables | undefined;
  const recorded: Trial = {
    ...trial,
    async setUp() {
      await setUps.run(trial);
      tables = undefined;
      before = await reader.read();
    },
    async judge(...of) {
      const assessment = await trial.judge(...of);
      tables = await reader.read();
      for (const name of changesOf(before, tables)) changed.add(name);
      return assessment;
    },
  };
  const onPlayed = (played: Played) => void schedules.push({ played, tables });
  const exploration = await explore(stage, recorded, { ...options, onPlayed });
  const texts = textsOf(schedules);
  const isSmall = (name: string) => (before.get(name)?.length ?? 0) <= MOST_ROWS;
  const named = reader.names.filter((name) => isSmall(name) && isNamed(name, texts));
  const compared = [...new Set([...changed, ...named])].sort();
  return {
    exploration,
    setUp: setUps.statements,
    schedules,
    compared,
    query: reader.queryOf(compared),
    movesTime: trial.timePasses === true,
  };
}

/**
 * Runs the set-ups of a trial, and keeps the statements of the first set-up. The first set-up has
 * the most statements, because a trial creates some functions and rows only once in each session.
 */
class SetUps {
  readonly statements: Statement[] = [];
  readonly #session: Session;
  #isFirst = true;
  #isOpen = false;

  constructor(admin: Session) {
    this.#session = {
      run: (statement) => {
        if (this.#isFirst && this.#isOpen) this.statements.push(statement);
        return admin.run(statement);
      },
      isAlive: () => admin.isAlive(),
      close: (patienceSeconds) => admin.close(patienceSeconds),
    };
  }

  async run(trial: Trial) {
    this.#isOpen = true;
    await this.#session.run(idsFrom(1000));
    await trial.setUp(this.#session);
    await this.#session.run(idsFrom(2000));
    this.#isOpen = false;
    this.#isFirst = false;
  }
}

function changesOf(before: Tables, after: Tables): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  const rowsOf = (tables: Tables, name: string) => (tables.get(name) ?? []).join('\n');
  return [...names].filter((name) => rowsOf(before, name) !== rowsOf(after, name));
}

/**
 * If only a statement names a table, we compare the table only up to this number of rows. A larger
 * table has rows that all schedules share, such as all recruiters.
 */
const MOST_ROWS = 50;

const textsOf = (schedules: Recorded[]): string[] => [
  ...new Set(
    schedules.flatMap(({ played }) =>
      played.entries.flatMap(({ acts }) => acts.map(({ step }) => step.text)),
    ),
  ),
];

/** Whether a statement has the name of the table, without its schema. */
function isNamed(table: string, texts: string[]): boolean {
  const name = new RegExp(`\\b${table.split('.').at(-1)}\\b`);
  return texts.some((text) => name.test(text));
}
