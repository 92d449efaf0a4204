import { DROP_ALL } from '../../explorer/empty.ts';
import { LAB_TIME } from '../../explorer/time.ts';
import type { Rows, Session } from '../../platform/db/session.ts';
import { databaseError } from '../../platform/db/sqlstate.ts';
import { UsageError } from '../../platform/process/errors.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import {
  type Chapter,
  type Explorable,
  engineFaults,
  type Fault,
  type Strategy,
} from '../chapter.ts';

/** Tables and rows as they are before the first step, and a query that must return no row. */
export interface OwnSchema {
  /** The name of the file, for messages. */
  file: string;
  text: string;
  invariant: string;
}

/** A program that is tried on its own tables. */
export interface OwnStrategy extends Strategy {
  /** Sends the request of this session, from 1, and returns the kind of the answer. */
  run(session: number): Promise<string>;
}

const violated: Fault = {
  name: 'violated',
  fact: 'the invariant is true',
  inWords: 'broke the invariant',
  verdict: 'breaks the invariant',
  dare: 'Can you break the invariant?',
};

/** The name in place of a chapter if a person's program has its own tables. */
export const OWN_TABLES = 'schema';

const situation = { name: 'schema', idea: 'the rows of the schema' };

export const ownExplorable = (schema: OwnSchema): Explorable<OwnStrategy> => ({
  name: OWN_TABLES,
  session: { one: 'session', many: 'sessions' },
  faults: [violated, engineFaults.deadlock, engineFaults.hang, engineFaults.error],
  promises: { invariant: { inWords: 'the invariant', brokenBy: [violated] } },
  crowd: situation,
  situationsOf: () => [situation],
  trial: (strategy, _, sessions) => ({
    setUp: (admin) => setUp(admin, schema),
    sessions: Array.from({ length: sessions }, (_, index) => async () => ({
      kind: await strategy.run(index + 1),
    })),
    async judge(admin) {
      const { isTrue, summary } = await check(admin, schema);
      return { faults: isTrue ? [] : [violated.name], summary };
    },
  }),
});

async function check(admin: Session, { invariant }: Pick<OwnSchema, 'invariant'>) {
  const [row] = await ask(admin, invariant);
  if (!row) return { isTrue: true, summary: 'the invariant is true' };
  const first = Object.entries(row).map(([name, value]) => `${name} ${value}`);
  return { isTrue: false, summary: `the invariant returns ${first.join(', ')}` };
}

/**
 * Reads the facts about the tables that Play shows: the invariant, the numbers of rows and the
 * rows' names.
 */
export async function showTables(
  admin: Session,
  schema: OwnSchema,
): Promise<Pick<Chapter, 'readState' | 'lockable'>> {
  const tables = (await run(admin, TABLES)) as unknown as { name: string; row: string }[];
  // The name of a table may contain quotes, so the columns have the names t0, t1 and so on.
  const counts = tables.map(({ name }, at) => `(select count(*) from ${name})::int as t${at}`);
  return {
    lockable: Object.fromEntries(tables.map(({ name, row }) => [name, row])),
    async readState(admin) {
      const { isTrue, summary } = await check(admin, schema);
      const [row = {}] = (await run(admin, `select ${counts.join(', ')}`)) as Counts[];
      const rows = tables.map(({ name }, at) => `${name}: ${row[`t${at}`]}`);
      return { marks: [], summary, detail: `Rows: ${rows.join(', ') || 'none'}`, isWrong: !isTrue };
    },
  };
}

/** A row of counts. The column `t0` has the count of the first table. */
type Counts = Record<string, number>;

/** Selects the tables, each with an SQL expression that names a row by its primary key. */
const TABLES = `
  select oid::regclass::text as name,
    format('concat_ws('' '', %L', relname) || coalesce((
      select string_agg(format(', %s.%I', pg_class.oid::regclass, attname), '' order by attnum)
      from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
      where indrelid = pg_class.oid and indisprimary), '') || ')' as row
  from pg_class
  where relkind = 'r' and relnamespace::regnamespace::text !~ '^(pg_|information_schema$|lab_time$)'
  order by oid limit 20`;

/** Throws a `UsageError` of one line if the schema or the invariant is wrong. */
export async function assertUsable(admin: Session, { file, text, invariant }: OwnSchema) {
  if (COPIES_DATA.test(text))
    throw new UsageError(`${file} has COPY FROM stdin. pg_dump --inserts writes INSERT instead.`);
  await explained(file, () => setUp(admin, { file, text }));
  // Each schedule runs the schema again. A schema with CREATE ROLE fails the second time, because
  // no schedule drops the role.
  await explained(`${file}, the second time`, () => setUp(admin, { file, text }));
  if (COPIES_DATA.test(invariant)) throw notOneQuery();
  const rows = await explained('--invariant', () => ask(admin, invariant));
  if (rows.command !== 'SELECT') throw notOneQuery();
  if (rows.length > 0)
    throw new UsageError('--invariant returns a row before the first step. It must return none.');
}

const notOneQuery = () => new UsageError('--invariant must be one query, such as a SELECT.');

/** Matches COPY FROM stdin. The lines after this statement are data, which only psql can read. */
const COPIES_DATA = /^\s*copy\b[^;]*\bfrom\s+stdin\b/im;

async function explained<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!databaseError(error)) throw error;
    throw new UsageError(`${what}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Drops everything first, because the program may have made tables. Then runs the schema. The text
 * may change the search path, as files of `pg_dump` do. So we set the search path before and after
 * the text.
 */
async function setUp(admin: Session, { file, text }: Pick<OwnSchema, 'file' | 'text'>) {
  const all = `${DROP_ALL}; set search_path = public; ${text}\n; set search_path = ${OF_ENGINE}`;
  await bounded(admin, file, run(admin, all));
}

const OF_ENGINE = LAB_TIME.search_path;

/** Runs a query, and undoes what the query has written. */
const ask = (admin: Session, query: string): Promise<Rows> =>
  bounded(admin, '--invariant', askAndUndo(admin, query));

async function askAndUndo(admin: Session, query: string): Promise<Rows> {
  await run(admin, 'begin');
  try {
    return await run(admin, query);
  } finally {
    await run(admin, 'rollback');
  }
}

const MOST_SECONDS = 20;

/**
 * Closes the session if the work takes too long, because SQL that never ends would hold up every
 * schedule. The `statement_timeout` of PostgreSQL is not enough, because a person's SQL may change
 * this setting, as files of `pg_dump` do.
 */
const bounded = <T>(admin: Session, what: string, work: Promise<T>): Promise<T> =>
  inTime(work, MOST_SECONDS * 1000, () => {
    void admin.close(0);
    return Promise.reject(new UsageError(`${what} has not ended after ${MOST_SECONDS} s.`));
  });

const run = (admin: Session, text: string) => admin.run({ text, params: [], asArrays: false });
