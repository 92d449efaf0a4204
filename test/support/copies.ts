import path from 'node:path';
import postgres from 'postgres';
import { Copies, type Copy } from '../../src/platform/postgres/copies/copies.ts';
import { atEnd } from './command.ts';

/** Copies of a server without autovacuum, whose table `prepared` has one row. */
export function makeCopies(): Copies {
  const copies = new Copies({ settings: ['autovacuum = off'] }, async (url) => {
    await inServer(url, (sql) => sql`create table prepared as select 1 as one`);
  });
  atEnd(() => copies.close());
  return copies;
}

export async function inServer<T>(
  url: string,
  work: (sql: postgres.Sql) => PromiseLike<T>,
): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/** The folder of the server of a copy. */
export async function homeOf({ url }: Copy): Promise<string> {
  const [row] = await inServer(url, (sql) => sql`select current_setting('data_directory') as data`);
  return path.dirname(row?.data);
}
