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
  await onScratch((sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)}`);
  atEnd(() => onScratch((sql) => sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`));
  return url.href;
}

async function onScratch(work: (sql: postgres.Sql) => PromiseLike<unknown>) {
  const sql = postgres(inject('scratchUrl'), { max: 1 });
  await work(sql);
  await sql.end();
}

/** Makes a database with demo data, and with another default for a setting of PostgreSQL. */
export async function makeDatabaseWith(setting: string, value: string): Promise<string> {
  const url = await makeDatabase();
  const name = new URL(url).pathname.slice(1);
  await onScratch((sql) => sql.unsafe(`ALTER DATABASE "${name}" SET ${setting} = '${value}'`));
  return url;
}
