import postgres from 'postgres';
import { connect } from '../../src/platform/db/client.ts';
import { atEnd } from './command.ts';
import { makeDatabase } from './database.ts';

/** Makes a database, with a connection for SQL and a connection of the service. */
export async function makeSql() {
  const databaseUrl = await makeDatabase();
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  const { db, close } = connect(databaseUrl, { connections: 2 });
  atEnd(() => Promise.all([sql.end(), close()]));
  return { databaseUrl, sql, db };
}

/** Writes the identity of another cluster, as a restore of an old backup would. */
export const restore = (sql: postgres.Sql) =>
  sql`UPDATE installation SET identity = '1 2 00000001', alive_at = now() - interval '30 days'`;

/** Adds an endpoint of company 1 that wants to know of each claim that begins or expires. */
export const addEndpoint = (sql: postgres.Sql, url: string) =>
  sql`INSERT INTO webhook_endpoints (company_id, url, types, secret)
    VALUES (1, ${url}, '["claim.created", "claim.expired"]', 'whsec_dGVzdHNlY3JldHRlc3RzZWNyZXQ=')
    RETURNING id`;
