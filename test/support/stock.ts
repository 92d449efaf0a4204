import postgres from 'postgres';
import { expect, type TestContext } from 'vitest';
import { prepareDatabase } from '../../src/service/database/migrate.ts';
import { atEnd } from './command.ts';
import { makeCluster, makeHome, startCluster } from './debian-postgres.ts';

/**
 * PostgreSQL's default for `jit_above_cost`. PostgreSQL compiles (JIT) a plan with a higher cost.
 */
const COMPILED_ABOVE = 100_000;

/**
 * Settings that record statements and their plans, and change no plan. All other settings keep
 * their defaults.
 */
const RECORDING = [
  'shared_preload_libraries=pg_stat_statements,auto_explain',
  'pg_stat_statements.track=all',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_nested_statements=on',
  'auto_explain.log_format=json',
];

/** Starts a distribution's PostgreSQL, which records every statement with its plan. */
export async function makeRecordingServer() {
  const home = makeHome();
  await makeCluster(home);
  const server = await startCluster(home, 'data', RECORDING);
  return { home, ...server };
}

export type RecordingServer = Awaited<ReturnType<typeof makeRecordingServer>>;

/** Makes a migrated database with demo data. Returns its address. */
export async function makeDatabaseOn(server: RecordingServer, name: string): Promise<string> {
  const admin = postgres(server.url, { max: 1 });
  await admin`CREATE DATABASE ${admin(name)}`;
  await admin.end();
  const url = Object.assign(new URL(server.url), { pathname: name }).href;
  await prepareDatabase(url, { demoData: true });
  return url;
}

export function open(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  atEnd(() => sql.end());
  return sql;
}

/** Skips the test on PostgreSQL 14, which does not count the functions that it compiles. */
export async function needsCompiledCount(url: string, { skip }: Pick<TestContext, 'skip'>) {
  const [row] = await open(url)`SELECT current_setting('server_version_num')::int >= 150000 AS is`;
  if (!row?.is) skip('PostgreSQL 14 does not count the functions that it compiles.');
}

interface Plan {
  'Query Text': string;
  Plan: { 'Total Cost': number };
  JIT?: object;
}

const isPlan = /LOG: {2}duration: \S+ ms {2}plan:\n((?:\t.*\n)+)/g;

/** Returns the plans in a part of the server's log. */
const plansIn = (log: string): Plan[] =>
  Array.from(log.matchAll(isPlan), ([, json = '']) => JSON.parse(json) as Plan);

/**
 * Does the work, and asserts that PostgreSQL compiled none of its statements. Also asserts that
 * each plan is too cheap to be compiled with PostgreSQL's default settings. So the service does not
 * have to turn `jit` off. Statements that match `expensive` may look expensive.
 */
export async function expectNothingCompiled(
  server: RecordingServer,
  url: string,
  work: () => Promise<unknown>,
  expensive = /^$/,
) {
  const sql = open(url);
  await sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`;
  await sql`SELECT pg_stat_statements_reset()`;
  const before = server.log().length;
  await work();
  const compiled = await sql`
    SELECT query, jit_functions FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid
    WHERE datname = current_database() AND jit_functions > 0`;
  expect([...compiled]).toEqual([]);
  const plans = plansIn(server.log().slice(before));
  expect(plans.length).toBeGreaterThan(0);
  const looksExpensive = plans
    .filter(({ Plan }) => Plan['Total Cost'] > COMPILED_ABOVE)
    .map((plan) => `${plan.Plan['Total Cost']}: ${plan['Query Text'].trim()}`)
    .filter((each) => !expensive.test(each));
  expect(looksExpensive).toEqual([]);
}
