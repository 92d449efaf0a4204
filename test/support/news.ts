import { type SQL, sql } from 'drizzle-orm';
import { connect, type Database } from '../../src/platform/db/client.ts';
import { readNews, type Seen, seenNow } from '../../src/service/outbox/queries.ts';
import { atEnd } from './command.ts';

/** Opens a pool of connections. Closes it after the tests. */
export function openDb(databaseUrl: string): Database {
  const { db, close } = connect(databaseUrl);
  atEnd(close);
  return db;
}

/**
 * Makes a reader. Each call of the reader returns the jobs of the events since the last call. The
 * reader uses the pool that `pool` returns at this time.
 */
export async function readerOf(pool: () => Database, most = 1_000) {
  let seen: Seen = await seenNow(pool());
  return async () => {
    const news = await readNews(pool(), seen, most);
    seen = news.seen;
    return news.jobIds?.map(Number).sort((a, b) => a - b);
  };
}

export const change = (jobId: number): SQL =>
  sql`UPDATE jobs SET capacity = capacity + 1 WHERE id = ${jobId}`;
