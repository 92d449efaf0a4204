import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, inject } from 'vitest';
import { prepareLabDatabase } from '../../src/lab/stages/database.ts';

/** A database with demo data for this test file, dropped when the file ends. */
export async function makeDatabase(): Promise<string> {
  const scratchUrl = inject('scratchUrl');
  const url = new URL(scratchUrl);
  const name = `${url.pathname.slice(1)}_${randomBytes(6).toString('hex')}`;
  url.pathname = name;
  await onScratch(
    (sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(inject('templateName'))}`,
  );
  afterAll(() => onScratch((sql) => sql`DROP DATABASE ${sql(name)} WITH (FORCE)`));
  return url.href;
}

/** The same, with the lab's tables. */
export async function makeLabDatabase(): Promise<string> {
  const url = await makeDatabase();
  await prepareLabDatabase(url);
  return url;
}

async function onScratch(work: (sql: postgres.Sql) => PromiseLike<unknown>) {
  const sql = postgres(inject('scratchUrl'), { max: 1 });
  await work(sql);
  await sql.end();
}

/** A database like that, with another default for one of the server's settings. */
export async function makeDatabaseWith(setting: string, value: string): Promise<string> {
  const url = await makeDatabase();
  const name = new URL(url).pathname.slice(1);
  await onScratch((sql) => sql.unsafe(`ALTER DATABASE "${name}" SET ${setting} = '${value}'`));
  return url;
}
