/**
 * Tests of the backup commands in docs/operations.md, on the PostgreSQL of a Linux distribution.
 */
import path from 'node:path';
import { describe, test } from 'vitest';
import { makeCluster, makeHome, startCluster } from '../../support/debian-postgres.ts';
import {
  changeBeforeBackup,
  expectDrill,
  leaveUnrelayed,
  makeWorld,
  on,
  open,
} from '../../support/restore.ts';

// test/campaigns/deploy/restore.test.ts tests a restore to a point in time.
describe('a restore', { tags: ['postgresql'] }, () => {
  test('of a dump keeps claims and keys, and sends no old webhook', async () => {
    const home = makeHome();
    await makeCluster(home);
    const { url } = await startCluster(home);
    const world = await makeWorld(url);
    await changeBeforeBackup(world);
    await leaveUnrelayed(open(world.databaseUrl));
    await home.run('pg_dump', ['--format=custom', '--file=rowlock.dump', world.databaseUrl]);

    const other = makeHome();
    await makeCluster(other);
    const fresh = await startCluster(other);
    await other.run('createdb', ['--maintenance-db', fresh.url, 'rowlock']);
    await other.run('pg_restore', [
      '--exit-on-error',
      '--dbname',
      on(fresh.url, 'rowlock'),
      path.join(home.home, 'rowlock.dump'),
    ]);
    await expectDrill(on(fresh.url, 'rowlock'), world);
  });
});
