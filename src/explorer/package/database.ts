import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { oneConnection } from '../../platform/db/one-connection.ts';
import type { Session } from '../../platform/db/session.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../platform/postgres/embedded.ts';
import { addDatabase, openScratch, type Scratch } from '../../platform/postgres/scratch.ts';
import { DROP_ALL } from '../empty.ts';
import { timeMigrations } from '../time.ts';
import type { Db } from './types.ts';

/** The embedded server of this process. It starts with the first exploration that needs it. */
let embedded: Promise<EmbeddedPostgres> | undefined;
let databases = 0;

/** Opens an empty database for one exploration. `stop` of the result drops the database. */
export async function openDatabase(address: string | undefined): Promise<Scratch> {
  if (address !== undefined) return openScratch(address);
  embedded ??= startEmbedded();
  const server = await embedded;
  const url = await addDatabase(server.url, `explored_${++databases}`);
  return { url, stop: () => drop(server.url, url) };
}

async function drop(serverUrl: string, url: string) {
  const sql = oneConnection(serverUrl, {});
  try {
    await sql`DROP DATABASE IF EXISTS ${sql(new URL(url).pathname.slice(1))} WITH (FORCE)`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Creates the functions of the explorer's clock. */
export async function createClock(admin: Session) {
  const files = readdirSync(timeMigrations).filter((name) => name.endsWith('.sql'));
  for (const file of files.sort())
    await run(admin, readFileSync(path.join(timeMigrations, file), 'utf8'));
}

/** Empties the database, and lets `fill` make its tables and rows. */
export async function emptyThen(admin: Session, fill: (db: Db) => unknown) {
  // SQL of a person may change the settings of the session, as files of pg_dump do.
  await run(admin, `reset all; ${DROP_ALL}`);
  await fill(dbOf(admin));
  await run(admin, 'reset all');
}

export const dbOf = (admin: Session): Db => ({
  async query(text, params = []) {
    return (await admin.run({ text, params: [...params], asArrays: false })) as never;
  },
});

const run = (admin: Session, text: string) => admin.run({ text, params: [], asArrays: false });
