/** Tests the commands of docs/operations.md for backups, on a distribution's PostgreSQL. */
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'vitest';
import { type Home, makeCluster, makeHome, startCluster } from '../../support/debian-postgres.ts';
import {
  changeBeforeBackup,
  expectDrill,
  leaveUnrelayed,
  makeWorld,
  on,
  open,
} from '../../support/restore.ts';

describe('a restore', { tags: ['postgresql'] }, () => {
  test('to a point in time keeps all earlier commits, and sends no old webhook', async () => {
    const home = makeHome();
    await makeCluster(home);
    const archive = makeFolder(home, 'archive');
    const { url, stop } = await startCluster(home, 'data', [
      'archive_mode=on',
      `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f`,
    ]);
    const world = await makeWorld(url);
    await home.run('pg_basebackup', ['--pgdata=base', '--checkpoint=fast', '--dbname', url]);
    await changeBeforeBackup(world);
    const sql = open(world.databaseUrl);
    await leaveUnrelayed(sql);
    // The last sign of life of a worker must be more than two minutes older than the restore.
    await sql`UPDATE installation SET alive_at = alive_at - interval '10 minutes'`;
    const [{ target } = {}] = await sql`SELECT clock_timestamp()::text AS target`;
    await sql`DELETE FROM job_claims`;
    await sql`SELECT pg_switch_wal()`;
    await sql.end();
    await stop();

    writeOwned(home, 'base/recovery.signal');
    const restored = await startCluster(home, 'base', [
      `restore_command=cp ${archive}/%f %p`,
      `recovery_target_time=${target}`,
      'recovery_target_action=promote',
    ]);
    await expectDrill(on(restored.url, 'rowlock'), world);
  });
});

function makeFolder({ home, account }: Home, name: string): string {
  const folder = path.join(home, name);
  mkdirSync(folder);
  if (account) chownSync(folder, account.uid, account.gid);
  return folder;
}

/** Makes an empty file that PostgreSQL may read. */
function writeOwned({ home, account }: Home, name: string) {
  const file = path.join(home, name);
  writeFileSync(file, '');
  if (account) chownSync(file, account.uid, account.gid);
}
