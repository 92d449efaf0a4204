import postgres from 'postgres';
import { expect, vi } from 'vitest';
import { prepareDatabase } from '../../src/service/database/migrate.ts';
import { collectLog, makeService } from './app.ts';
import { atEnd, run } from './command.ts';
import { makeReceiver } from './receiver.ts';

export const on = (url: string, database: string) =>
  Object.assign(new URL(url), { pathname: database }).href;

export const open = (url: string) => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  atEnd(() => sql.end());
  return sql;
};

/** Starts a service on the database, and returns a function that claims jobs. */
async function serve(databaseUrl: string) {
  const { log, events } = collectLog();
  const service = await makeService(databaseUrl, { lab: false, places: 4, log });
  const ask = async (method: string, path: string, body: object, key?: string) => {
    const answer = await fetch(service.url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) },
      body: JSON.stringify(body),
    });
    return answer.status;
  };
  const claim = (jobId: number, recruiterId: number, key?: string) => {
    const lease = recruiterId === 2 && { leaseSeconds: 3_600 };
    return ask('POST', `/jobs/${jobId}/claims`, { recruiterId, ...lease }, key);
  };
  return { ...service, events, ask, claim };
}

export async function makeWorld(url: string) {
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

/** Asserts the promises of a restore, which are the same for each kind of backup. */
export async function expectDrill(
  restoredUrl: string,
  { receiver }: Pick<Awaited<ReturnType<typeof makeWorld>>, 'receiver'>,
) {
  const before = receiver.received.length;
  const sql = open(restoredUrl);
  expect((await sql`SELECT FROM webhook_unrelayed`).length).toBeGreaterThan(0);
  await expectToldPause(restoredUrl, /paused, because the database was restored/);
  // Without this wait, a fast machine would start the service before the two leases have ended.
  await vi.waitFor(
    async () => expect(await sql`SELECT FROM job_claims WHERE expires_at < now()`).toHaveLength(2),
    { timeout: 20_000 },
  );
  const service = await serve(restoredUrl);
  expect(service.events).toEqual([]);
  // Claims work immediately. The service knows the key of a claim from before the backup, but not a
  // key from after the backup.
  expect(await service.claim(2, 9)).toBe(201);
  expect(await service.claim(1, 1, 'before-the-backup')).toBe(201);
  expect(await service.claim(1, 3, 'after-the-backup')).toBe(201);
  // The lease ended while no server ran.
  await vi.waitFor(
    async () => expect(await sql`SELECT FROM job_claims WHERE recruiter_id = 2`).toHaveLength(0),
    { timeout: 20_000 },
  );
  await expectLineGoesOn(sql);
  await expectToldPause(restoredUrl, /paused since \d/);
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

/** The job with a line. Its company has no endpoint. */
const LINED_JOB = 5;

/**
 * Before the backup, the recruiter 12 had an offer. The offer ended while no server ran. So the
 * recruiter 13, who is next, has an offer now, and the recruiter 14 waits.
 */
const expectLineGoesOn = (sql: postgres.Sql) =>
  vi.waitFor(
    async () => {
      const line = await sql`
        SELECT waitlist.recruiter_id::int AS id, expires_at > now() AS offered
        FROM waitlist LEFT JOIN job_claims ON job_claims.id = claim_id
        WHERE waitlist.job_id = ${LINED_JOB} ORDER BY waitlist.id`;
      expect([...line]).toEqual([
        { id: 13, offered: true },
        { id: 14, offered: null },
      ]);
    },
    { timeout: 20_000 },
  );

/** Makes a line before the backup. The first in line has an offer. */
async function lineBefore({ service, databaseUrl }: Awaited<ReturnType<typeof makeWorld>>) {
  const sql = open(databaseUrl);
  await sql`UPDATE jobs SET capacity = 1 WHERE id = ${LINED_JOB}`;
  expect(await service.claim(LINED_JOB, 11)).toBe(201);
  for (const recruiterId of [12, 13, 14])
    expect(await service.ask('POST', `/jobs/${LINED_JOB}/waitlist`, { recruiterId })).toBe(200);
  await sql`DELETE FROM job_claims WHERE job_id = ${LINED_JOB}`;
  await vi.waitFor(
    async () => expect(await sql`SELECT FROM waitlist WHERE claim_id IS NOT NULL`).toHaveLength(1),
    { timeout: 20_000 },
  );
}

/**
 * Asserts that both commands for operators, `restored` and `doctor`, tell the same about the pause.
 */
async function expectToldPause(DATABASE_URL: string, words: RegExp) {
  const restored = run('scripts/restored.ts', [], { DATABASE_URL });
  expect((await restored.ended).code, restored.stderr()).toBe(0);
  expect(restored.stdout()).toMatch(words);
  const doctor = run('scripts/doctor.ts', [], { DATABASE_URL });
  expect((await doctor.ended).code, doctor.stderr()).toBe(1);
  expect(doctor.stdout()).toMatch(words);
}

/**
 * Makes two claims before the backup, one with a key and one with a lease. Waits until the receiver
 * has a message about each claim. Then makes a line, and stops the service. All leases end a second
 * later.
 */
export async function changeBeforeBackup(world: Awaited<ReturnType<typeof makeWorld>>) {
  const { service, receiver } = world;
  expect(await service.claim(1, 1, 'before-the-backup')).toBe(201);
  expect(await service.claim(1, 2)).toBe(201);
  await receiver.untilReceived(2);
  await lineBefore(world);
  await service.stop();
  // Without triggers, this update makes no event. The leases end as if time had passed.
  await open(world.databaseUrl).begin(async (tx) => {
    await tx`SET LOCAL session_replication_role = replica`;
    await tx`UPDATE job_claims SET expires_at = now() + interval '1 second'
      WHERE expires_at IS NOT NULL`;
  });
}

/** Makes a change that no relay has read, as after a crash of all workers. */
export const leaveUnrelayed = (sql: postgres.Sql) =>
  sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (3, 8)`;
