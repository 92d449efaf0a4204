import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { atEnd } from './command.ts';

/** Makes a database with demo data. The database is dropped after the tests of this file. */
export const makeDatabase = (): Promise<string> => copyOf(inject('templates').plain);

/** Makes a database with demo data and the lab's tables. */
export const makeLabDatabase = (): Promise<string> => copyOf(inject('templates').lab);

/** Makes a database without tables. */
export const makeEmptyDatabase = (): Promise<string> => copyOf('template1');

async function copyOf(template: string): Promise<string> {
  const url = new URL(inject('scratchUrl'));
  const name = `${url.pathname.slice(1)}_${randomBytes(6).toString('hex')}`;
  url.pathname = name;
  const order = `CREATE DATABASE "${name}" TEMPLATE "${template}" ${inject('copying')}`;
  await onScratch((sql) => sql.unsafe(order));
  atEnd(() => onScratch((sql) => sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`));
  return url.href;
}

/**
 * A connection for all files of this process. A new connection costs 20 ms of processor time. The
 * connection ends soon, so that nothing uses the database when the run drops it.
 */
let scratch: postgres.Sql | undefined;

async function onScratch<T>(work: (sql: postgres.Sql) => PromiseLike<T>): Promise<T> {
  scratch ??= postgres(inject('scratchUrl'), { max: 1, idle_timeout: 5 });
  return work(scratch);
}

/** Returns whether the PostgreSQL server has a database with this name. */
export const databaseExists = async (name: string): Promise<boolean> =>
  (await onScratch((sql) => sql`select from pg_database where datname = ${name}`)).length > 0;

/** Makes a database with demo data, and changes the default of a setting of PostgreSQL there. */
export async function makeDatabaseWith(setting: string, value: string): Promise<string> {
  const url = await makeDatabase();
  const name = new URL(url).pathname.slice(1);
  await onScratch((sql) => sql.unsafe(`ALTER DATABASE "${name}" SET ${setting} = '${value}'`));
  return url;
}
