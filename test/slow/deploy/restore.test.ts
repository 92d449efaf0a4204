/** The commands of docs/operations.md for backups, on a distribution's PostgreSQL. */
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { prepareDatabase } from '../../../src/db/migrate.ts';
import { collectLog, makeService } from '../../support/app.ts';
import { atEnd, run } from '../../support/command.ts';
import {
  type Home,
  makeCluster,
  makeHome,
  programs,
  startCluster,
} from '../../support/debian-postgres.ts';
import { makeReceiver } from '../../support/receiver.ts';

const on = (url: string, database: string) =>
  Object.assign(new URL(url), { pathname: database }).href;

const open = (url: string) => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  atEnd(() => sql.end());
  return sql;
};

/** Serves the database for a while. Its receiver gets a webhook for each claim. */
async function serve(databaseUrl: string) {
  const { log, events } = collectLog();
  const service = await makeService(databaseUrl, { lab: false, places: 4, log });
  const claim = async (jobId: number, recruiterId: number, key?: string) => {
    const answer = await fetch(`${service.url}/jobs/${jobId}/claims`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) },
      body: JSON.stringify({ recruiterId, ...(recruiterId === 2 && { leaseSeconds: 1 }) }),
    });
    return answer.status;
  };
  return { ...service, events, claim };
}

async function makeWorld(url: string) {
  await open(on(url, 'postgres'))`CREATE DATABASE rowlock`;
  const databaseUrl = on(url, 'rowlock');
  await prepareDatabase(databaseUrl, { demoData: true });
  const receiver = await makeReceiver();
  const service = await serve(databaseUrl);
  const added = await fetch(`${service.url}/companies/1/endpoints`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: receiver.url }),
  });
  expect(added.status).toBe(201);
  return { databaseUrl, receiver, service };
}

/** The promises of a restore. They are the same for each kind of backup. */
async function expectDrill(
  restoredUrl: string,
  { receiver }: Pick<Awaited<ReturnType<typeof makeWorld>>, 'receiver'>,
) {
  const before = receiver.received.length;
  const sql = open(restoredUrl);
  expect((await sql`SELECT FROM webhook_unrelayed`).length).toBeGreaterThan(0);
  const service = await serve(restoredUrl);
  expect(service.events).toEqual([]);
  // Claims work at once. The key from before the backup is known, and the key from after it is not.
  expect(await service.claim(2, 9)).toBe(201);
  expect(await service.claim(1, 1, 'before-the-backup')).toBe(201);
  expect(await service.claim(1, 3, 'after-the-backup')).toBe(201);
  // The lease ended while no server ran.
  await vi.waitFor(async () =>
    expect(await sql`SELECT FROM job_claims WHERE recruiter_id = 2`).toHaveLength(0),
  );
  const command = run('scripts/restored.ts', [], { DATABASE_URL: restoredUrl });
  expect((await command.ended).code).toBe(0);
  expect(command.stdout()).toMatch(/^Paused since /);
  expect(receiver.received.length).toBe(before);

  const forget = run('scripts/restored.ts', ['--forget'], { DATABASE_URL: restoredUrl });
  expect((await forget.ended).code, forget.stderr()).toBe(0);
  expect(await service.claim(4, 9)).toBe(201);
  await vi.waitFor(
    async () => {
      const [row] = await sql`SELECT (SELECT count(*) FROM webhook_unrelayed)
        + (SELECT count(*) FROM tasks WHERE finished_at IS NULL) AS waiting`;
      expect(row?.waiting).toBe('0');
      expect(receiver.received.length).toBeGreaterThan(before);
    },
    { timeout: 20_000 },
  );
  const told = receiver.received
    .slice(before)
    .map(({ message }) => message.data.claim?.recruiter.id);
  expect(new Set(told.filter((id) => id !== undefined))).toEqual(new Set([3, 9]));
  const doctor = run('scripts/doctor.ts', [], { DATABASE_URL: restoredUrl });
  expect([(await doctor.ended).code, doctor.stdout()]).toEqual([
    0,
    expect.stringContaining('All is well'),
  ]);
  await service.stop();
}

/** Claims before the backup: one is told at once, one has a key, and one has a short lease. */
async function claimBefore({ service, receiver }: Awaited<ReturnType<typeof makeWorld>>) {
  expect(await service.claim(1, 1, 'before-the-backup')).toBe(201);
  expect(await service.claim(1, 2)).toBe(201);
  await receiver.untilReceived(2);
}

/** A change that no relay has read, as after a crash of all workers. */
const leaveUnrelayed = (sql: postgres.Sql) =>
  sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (3, 8)`;

describe.skipIf(programs === undefined)('a restore', () => {
  test('of a dump keeps claims and keys, and sends no old webhook', async () => {
    const home = makeHome();
    await makeCluster(home);
    const { url } = await startCluster(home);
    const world = await makeWorld(url);
    await claimBefore(world);
    await world.service.stop();
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

  test('to a point in time keeps what was committed before, and sends no old webhook', async () => {
    const home = makeHome();
    await makeCluster(home);
    const archive = makeFolder(home, 'archive');
    const { url, stop } = await startCluster(home, 'data', [
      'archive_mode=on',
      `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f`,
    ]);
    const world = await makeWorld(url);
    await home.run('pg_basebackup', ['--pgdata=base', '--checkpoint=fast', '--dbname', url]);
    await claimBefore(world);
    await world.service.stop();
    const sql = open(world.databaseUrl);
    await leaveUnrelayed(sql);
    // The sign of life of a worker is more than two minutes older than the restore.
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
