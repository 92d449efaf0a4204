import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import {
  type ConnectOptions,
  connect,
  type DatabaseConnection,
} from '../../../src/platform/db/client.ts';
import { renewClaim } from '../../../src/service/claims/claim.ts';
import {
  CLEARING_LOCK,
  clearAll,
  clearClaims,
  clearKeys,
  startClearing,
} from '../../../src/service/operation/clearing.ts';
import { collectLog } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { lockOf, whileHeld, whileLocked } from '../../support/locks.ts';

async function makeConnection(options?: ConnectOptions) {
  const url = await makeDatabase();
  const connection = connect(url, options);
  atEnd(() => connection.close());
  return { ...connection, url };
}

/**
 * Inserts claims of job 1 by recruiters 1, 2, and so on. Each lease ends after its number of
 * seconds. A negative number means that the lease has ended.
 */
async function insertLeases(db: DatabaseConnection['db'], ...seconds: number[]) {
  for (const [index, each] of seconds.entries())
    await db.execute(sql`INSERT INTO job_claims (job_id, recruiter_id, expires_at)
      VALUES (1, ${index + 1}, now() + make_interval(secs => ${each}))`);
}

const recruitersLeft = async (db: DatabaseConnection['db']) => {
  const rows = await db.execute(sql`SELECT recruiter_id FROM job_claims ORDER BY 1`);
  return rows.map((row) => Number(row.recruiter_id));
};

const insertKey = (db: DatabaseConnection['db'], key: string, seconds: number) =>
  db.execute(sql`INSERT INTO idempotency_keys (caller, key, fingerprint, status, headers, body, expires_at)
    VALUES ('admin:anybody', ${key}, 'f', 200, '{}', '', now() + make_interval(secs => ${seconds}))`);

const keysLeft = async (db: DatabaseConnection['db']) =>
  (await db.execute(sql`SELECT key FROM idempotency_keys ORDER BY 1`)).map(({ key }) => key);

test('the cleanup removes expired claims, and leaves live and permanent claims', async () => {
  const { db } = await makeConnection();
  await insertLeases(db, -10, 60, -0.001);
  await db.execute(sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 9)`);
  expect(await clearClaims(db)).toBe(2);
  expect(await recruitersLeft(db)).toEqual([2, 9]);
});

test('the cleanup begins no transaction while no claim has expired', async () => {
  const texts: string[] = [];
  const { db } = await makeConnection({ observe: ({ text }) => void texts.push(text) });
  const begun = () => texts.filter((text) => /^begin/i.test(text)).length;
  await insertLeases(db, 60);
  await clearClaims(db);
  expect(begun()).toBe(0);
  await db.execute(sql`UPDATE job_claims SET expires_at = now()`);
  await clearClaims(db);
  expect(begun()).toBe(1);
});

test('a locked job does not delay the cleanup of other jobs', async () => {
  const { db, url } = await makeConnection();
  await insertLeases(db, -10);
  await db.execute(sql`INSERT INTO job_claims (job_id, recruiter_id, expires_at)
    SELECT job, recruiter, now() - interval '1 second'
    FROM generate_series(2, 12) AS job, generate_series(1, 100) AS recruiter`);
  await whileHeld(url, 1, () => clearAll(db));
  const left = await db.execute(sql`SELECT DISTINCT job_id FROM job_claims`);
  expect(left.map(({ job_id }) => Number(job_id))).toEqual([1]);
});

test('the cleanup removes expired keys, and leaves other keys', async () => {
  const { db } = await makeConnection();
  await insertKey(db, 'old', -1);
  await insertKey(db, 'new', 60);
  expect(await clearKeys(db)).toBe(1);
  expect(await keysLeft(db)).toEqual(['new']);
});

test('the cleanup removes finished tasks and stopped workers that are old enough', async () => {
  const { db } = await makeConnection();
  await db.execute(sql`INSERT INTO tasks (kind, payload, attempts_left, finished_at, ended)
    SELECT 'test', '{}', 1, now() - make_interval(hours => hours), ended
    FROM generate_series(1, 3) AS hours, (VALUES ('done'), ('cancelled'), ('dead')) AS e (ended)`);
  await db.execute(sql`INSERT INTO tasks (kind, payload, attempts_left, run_at)
    VALUES ('test', '{}', 1, now() - interval '9 hours')`);
  await db.execute(sql`INSERT INTO workers (name, version, places, lease_until, stopped_at)
    SELECT 'w' || hours, '1', 4, now(), now() - make_interval(hours => hours)
    FROM (VALUES (23), (25)) AS ages (hours)`);
  await clearAll(db, { taskHours: 2 });
  const left = await db.execute(sql`SELECT coalesce(ended, 'waiting') AS status, count(*)::int
    FROM tasks GROUP BY 1 ORDER BY 1`);
  expect(left.map(({ status, count }) => [status, count])).toEqual([
    ['cancelled', 1],
    ['dead', 3],
    ['done', 1],
    ['waiting', 1],
  ]);
  const names = await db.execute(sql`SELECT name FROM workers`);
  expect(names.map(({ name }) => name)).toEqual(['w23']);
});

test('the cleanup does not remove a claim that was renewed', async () => {
  const { db } = await makeConnection();
  await insertLeases(db, 2, -1);
  const [claim] = await db.execute(sql`SELECT id FROM job_claims WHERE recruiter_id = 1`);
  const renewed = await renewClaim(db, {
    id: BigInt(String(claim?.id)),
    leaseSeconds: 3_600,
  });
  expect(renewed.kind).toBe('done');
  expect(await clearClaims(db)).toBe(1);
  expect(await recruitersLeft(db)).toEqual([1]);
});

test('the cleanup skips a claim that another session has locked', async () => {
  const { db, url } = await makeConnection();
  await insertLeases(db, -10, -5, -1);
  const lock = 'SELECT FROM job_claims WHERE recruiter_id = 2 FOR UPDATE';
  await whileLocked(url, lock, async () => {
    expect(await clearClaims(db)).toBe(2);
    expect(await recruitersLeft(db)).toEqual([2]);
  });
  expect(await clearClaims(db)).toBe(1);
});

test('the cleanup skips the claims of a job that another session has locked', async () => {
  const { db, url } = await makeConnection();
  await insertLeases(db, -2);
  await db.execute(sql`INSERT INTO job_claims (job_id, recruiter_id, expires_at)
    VALUES (2, 2, now() - interval '1 second')`);
  await whileHeld(url, 1, async () => {
    expect(await clearClaims(db)).toBe(1);
    expect(await recruitersLeft(db)).toEqual([1]);
  });
  expect(await clearClaims(db)).toBe(1);
});

test('a cleanup removes nothing while another cleanup has the advisory lock', async () => {
  const { db, url } = await makeConnection();
  const other = connect(url);
  atEnd(() => other.close());
  await insertLeases(db, -1);
  const holder = postgres(url, { max: 1 });
  atEnd(() => holder.end());
  await holder
    .begin(async (tx) => {
      // With this table lock, the first cleanup reads the claims, but cannot lock any claim.
      await tx`LOCK TABLE job_claims IN EXCLUSIVE MODE`;
      const first = clearClaims(db);
      await vi.waitFor(
        async () => {
          const [lock] =
            await tx`SELECT pg_locks.pid <> pg_backend_pid() AS of_another FROM pg_locks
          JOIN pg_database ON database = pg_database.oid AND datname = current_database()
          WHERE locktype = 'advisory' AND classid = ${CLEARING_LOCK} AND granted`;
          expect(lock).toEqual({ of_another: true });
        },
        { timeout: 20_000 },
      );
      // The second cleanup ends while the first cleanup waits for the table. So the second cleanup
      // did not try to lock a claim.
      expect(await clearClaims(other.db)).toBe(0);
      return { first };
    })
    .then(async ({ first }) => expect(await first).toBe(1));
});

test('the cleanup goes on batch by batch until it is stopped', async () => {
  const { db } = await makeConnection();
  await db.execute(sql`INSERT INTO recruiters (name) SELECT 'r' FROM generate_series(1, 1200)`);
  await db.execute(sql`INSERT INTO job_claims (job_id, recruiter_id, expires_at)
    SELECT 1, id, now() FROM recruiters ORDER BY id LIMIT 1200`);
  await insertKey(db, 'old', -1);
  const { log, events } = collectLog();
  const clearing = startClearing(db, log);
  await vi.waitFor(async () => expect(await recruitersLeft(db)).toEqual([]), { timeout: 20_000 });
  await vi.waitFor(async () => expect(await keysLeft(db)).toEqual([]), { timeout: 20_000 });
  await clearing.stop();
  await insertLeases(db, -1);
  expect(await recruitersLeft(db)).toEqual([1]);
  expect(events).toEqual([]);
});

test('the cleanup logs an error once, without SQL, and goes on', async () => {
  const { db } = await makeConnection();
  await db.execute(sql`ALTER TABLE job_claims RENAME TO hidden`);
  const { log, events } = collectLog();
  const clearing = startClearing(db, log);
  await vi.waitFor(() => expect(events).toHaveLength(1), { timeout: 20_000 });
  expect(events).toMatchObject([{ event: 'clearing failed' }]);
  expect(JSON.stringify(events)).toContain('42P01');
  expect(JSON.stringify(events)).not.toMatch(/delete from|job_claims/i);
  await db.execute(sql`ALTER TABLE hidden RENAME TO job_claims`);
  await insertLeases(db, -1);
  await vi.waitFor(async () => expect(await recruitersLeft(db)).toEqual([]), { timeout: 20_000 });
  await clearing.stop();
  expect(events).toHaveLength(1);
});

test('a cleanup that a busy database refuses logs no error, and runs again later', async () => {
  const { db, url } = await makeConnection({ lockTimeoutMs: 300 });
  await insertLeases(db, -1);
  const { log, events } = collectLog();
  const clearing = await whileLocked(url, lockOf('job_claims'), async (holder) => {
    const running = startClearing(db, log);
    await holder.untilWaitedFor();
    // PostgreSQL has refused the lock after `lock_timeout`.
    await holder.untilWaitedFor(0);
    return running;
  });
  await vi.waitFor(async () => expect(await recruitersLeft(db)).toEqual([]), { timeout: 20_000 });
  await clearing.stop();
  expect(events).toEqual([]);
});

test('a stop waits for the running cleanup, and not for the next cleanup', async () => {
  const { db, url } = await makeConnection();
  const { log, events } = collectLog();
  const holder = postgres(url, { max: 1 });
  const observer = postgres(url, { max: 1 });
  atEnd(() => Promise.all([holder.end(), observer.end()]));
  let stopped = false;
  const stopping = await holder.begin(async (tx) => {
    await tx`LOCK TABLE job_claims IN ACCESS EXCLUSIVE MODE`;
    const clearing = startClearing(db, log);
    await vi.waitFor(
      async () => {
        const waiting = await observer`SELECT 1 FROM pg_locks
          WHERE relation = 'job_claims'::regclass AND NOT granted`;
        expect(waiting).toHaveLength(1);
      },
      { timeout: 20_000 },
    );
    const stopping = clearing.stop().then(() => {
      stopped = true;
    });
    await observer`SELECT 1`;
    expect(stopped).toBe(false);
    return { stopping };
  });
  await stopping.stopping;
  expect(events).toEqual([]);
});
