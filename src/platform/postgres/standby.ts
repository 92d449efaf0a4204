/**
 * Only the fault scenarios use standbys. The guard makes them, because the guard owns the server's
 * process and files.
 */
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { oneConnection } from '../db/one-connection.ts';
import { dataOf, type Home } from './home.ts';
import type { Primary } from './orders.ts';

/**
 * These files are not copied. They belong to the running server, or the standby receives them from
 * the primary.
 */
const NOT_COPIED = /^(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+)$/;
const CLOSE_PATIENCE_S = 5;

/**
 * Fills a home with a copy of a running server's data, for a standby of that server. The embedded
 * binaries have no pg_basebackup. So we copy the files between PostgreSQL's two backup calls.
 */
export async function copyAsStandby(primary: Primary, { home, account }: Home) {
  const data = dataOf(home);
  const label = await copyOnline(primary, data);
  await fs.writeFile(path.join(data, 'backup_label'), label);
  await followPrimary(primary, { home, account });
  if (account)
    for (const name of ['', ...(await fs.readdir(data, { recursive: true }))])
      await fs.chown(path.join(data, name), account.uid, account.gid);
}

/**
 * Copies the data of a running server, and returns the label of the copy. PostgreSQL needs the
 * label to find the beginning of the copy in the WAL.
 */
async function copyOnline(primary: Primary, data: string): Promise<string> {
  // The copy is valid only if one session makes both backup calls.
  const sql = oneConnection(primary.url, {});
  try {
    await sql`SELECT pg_backup_start('standby', fast => true)`;
    await copyFiles(dataOf(primary.home), data);
    const [row] = await sql<{ labelfile: string }[]>`
      SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)`;
    return row?.labelfile ?? '';
  } finally {
    await sql.end({ timeout: CLOSE_PATIENCE_S });
  }
}

async function copyFiles(from: string, to: string) {
  const entries = (await fs.readdir(from, { recursive: true, withFileTypes: true }))
    .map((entry) => ({ entry, name: path.relative(from, path.join(entry.parentPath, entry.name)) }))
    .filter(({ name }) => !NOT_COPIED.test(name));
  const namesOf = (areDirectories: boolean) =>
    entries.flatMap(({ entry, name }) => (entry.isDirectory() === areDirectories ? [name] : []));
  for (const name of ['', ...namesOf(true)])
    await fs.mkdir(path.join(to, name), { recursive: true, mode: 0o700 });
  const copy = (name: string) => fs.copyFile(path.join(from, name), path.join(to, name));
  await Promise.all(namesOf(false).map((name) => copy(name).catch(unlessGone)));
}

/**
 * Ignores a missing file. The table of the file was dropped during the copy, and the WAL drops the
 * table in the copy too.
 */
function unlessGone(error: NodeJS.ErrnoException) {
  if (error.code !== 'ENOENT') throw error;
}

/** Configures the stopped server of this home as a standby of `primary`, from its next start. */
export async function followPrimary(primary: Primary, { home, account }: Home) {
  const { hostname, port, username, password } = new URL(primary.url);
  const address = `host=${hostname} port=${port} user=${username} password=${password}`;
  const settings = [
    `primary_conninfo = '${address}'`,
    // After a promotion this server keeps WAL for a new standby of its own.
    "wal_keep_size = '256MB'",
    // The time after which this standby asks for WAL again. The default of five seconds would delay
    // a failover.
    "wal_retrieve_retry_interval = '200ms'",
  ];
  const files = {
    // This file replaces the copied settings of the primary. With those settings a promoted standby
    // would wait for a standby of its own.
    'postgresql.auto.conf': `${settings.join('\n')}\n`,
    'standby.signal': '',
  };
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dataOf(home), name);
    await fs.writeFile(file, content);
    if (account) await fs.chown(file, account.uid, account.gid);
  }
}
