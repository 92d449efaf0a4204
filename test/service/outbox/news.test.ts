import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { connect, type Database } from '../../../src/platform/db/client.ts';
import { readClaimEvents, readNews, seenNow } from '../../../src/service/outbox/queries.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { change, openDb, readerOf } from '../../support/news.ts';
import { flushStatistics } from '../../support/statistics.ts';

let url: string;
let db: Database;

beforeEach(async () => {
  url = await makeDatabase();
  db = openDb(url);
});

const makeReader = (most?: number) => readerOf(() => db, most);

test('a reader gets each job with new events, and gets the job only once', async () => {
  await db.execute(change(1));
  const read = await makeReader();
  expect(await read()).toEqual([]);
  for (const jobId of [2, 3, 2]) await db.execute(change(jobId));
  expect(await read()).toEqual([2, 3]);
  expect(await read()).toEqual([]);
});

test('an event whose transaction stays open is read after its commit, and delays no other event', async () => {
  const read = await makeReader();
  await db.transaction(async (late) => {
    await late.execute(change(1));
    // The other transactions begin after the event of the late transaction, and commit first.
    for (let jobId = 2; jobId <= 6; jobId++) {
      await db.execute(change(jobId));
      expect(await read()).toEqual([jobId]);
    }
    const [held] = await late.execute(
      sql`SELECT (SELECT min(id) FROM events WHERE job_id = 1) < (SELECT min(id) FROM events WHERE job_id = 6) AS first`,
    );
    expect(held).toEqual({ first: true });
    expect(await read()).toEqual([]);
  });
  expect(await read()).toEqual([1]);
  expect(await read()).toEqual([]);
});

test('a reader that begins during a transaction reads the events of this transaction after its commit', async () => {
  const read = await db.transaction(async (late) => {
    await late.execute(change(1));
    return { begun: await makeReader() };
  });
  expect(await read.begun()).toEqual([1]);
});

test('an event in a savepoint is read after the commit of its transaction, and an event that is rolled back is never read', async () => {
  const read = await makeReader();
  await db.transaction(async (tx) => {
    await tx.transaction((inner) => inner.execute(change(1)));
    const undone = tx.transaction(async (inner) => {
      await inner.execute(change(2));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await read()).toEqual([]);
  });
  expect(await read()).toEqual([1]);
  const rolledBack = db.transaction(async (tx) => {
    await tx.execute(change(3));
    expect(await read()).toEqual([]);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await read()).toEqual([]);
});

test('a reader misses no event after wide gaps in the ids of events and transactions', async () => {
  const read = await makeReader();
  await db.execute(sql`SELECT setval('events_id_seq', 9000000000)`);
  for (let n = 0; n < 50; n++) await db.execute(sql`SELECT pg_current_xact_id()`);
  await db.execute(change(1));
  expect(await read()).toEqual([1]);
});

describe('a reader must read all jobs again', () => {
  test('after more new events than the maximum of one read', async () => {
    const read = await makeReader(3);
    await db.execute(sql`UPDATE jobs SET capacity = 9 WHERE id <= 3`);
    expect(await read()).toEqual([1, 2, 3]);
    await db.execute(sql`UPDATE jobs SET capacity = 10 WHERE id <= 4`);
    expect(await read()).toBeUndefined();
    await db.execute(change(5));
    expect(await read()).toEqual([5]);
  });

  test('after a transaction that ran during the last read commits too many events for one read', async () => {
    const reading = await db.transaction(async (tx) => {
      await tx.execute(sql`UPDATE jobs SET capacity = 10 WHERE id <= 4`);
      return { read: await makeReader(3) };
    });
    expect(await reading.read()).toBeUndefined();
  });

  test('if its last read was answered by another server, or by the same server before a restart', async () => {
    const seen = await seenNow(db);
    const before = seen.server.replace(/^\S+/, (started) => String(Number(started) - 60));
    for (const server of ['another server', before])
      expect((await readNews(db, { ...seen, server }, 1_000)).jobIds).toBeUndefined();
    expect((await readNews(db, seen, 1_000)).jobIds).toEqual([]);
  });
});

test('an event is not read if its transaction id is higher than all transaction ids of the server', async () => {
  const read = await makeReader();
  await db.execute(sql`
    INSERT INTO events (job_id, company_id, number, kind, role, capacity, claimed, xid)
    VALUES (77, 1, 1, 'posted', 'Restored', 4, 0, '9000000000')`);
  expect(await read()).toEqual([]);
});

test('no read scans the whole history, however often a session has read', async (context) => {
  const alone = connect(url, { connections: 1 });
  atEnd(() => alone.close());
  await alone.db.execute(sql`
    INSERT INTO events (job_id, company_id, number, kind, role, capacity, claimed)
    SELECT 999, 1, n, 'changed', 'R', 4, 0 FROM generate_series(1, 50000) AS n`);
  const scans = async () => {
    await flushStatistics((text) => alone.db.execute(sql.raw(text)), context);
    const [row] = await alone.db.execute(sql`
      SELECT seq_scan::int, idx_scan::int FROM pg_stat_user_tables WHERE relname = 'events'`);
    return row as { seq_scan: number; idx_scan: number };
  };
  // The first reads have no statistics, and the later reads have statistics. After five reads,
  // PostgreSQL may use one plan for all parameters.
  let seen = await seenNow(alone.db);
  const before = await scans();
  for (let n = 0; n < 20; n++) {
    if (n === 8) await alone.db.execute(sql`ANALYZE events`);
    seen = (await readNews(alone.db, seen, 10_000)).seen;
  }
  const after = await scans();
  // ANALYZE reads some blocks, but PostgreSQL does not count this as a scan of the table.
  expect(after.seq_scan).toBe(before.seq_scan);
  expect(after.idx_scan).toBeGreaterThanOrEqual(before.idx_scan + 20);
});

test('a recruiter gets the events about claims, and no event of another kind', async () => {
  const before = await seenNow(db);
  await db.execute(sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 1)`);
  await db.execute(sql`
    INSERT INTO events (job_id, company_id, number, kind, recruiter_id, role, capacity, claimed)
    SELECT job_id, company_id, number + 1, 'a new kind', recruiter_id, role, capacity, claimed
    FROM events WHERE kind = 'claimed'`);
  const news = await readClaimEvents(db, { before, after: await seenNow(db) }, [1n]);
  expect(news.map(({ kind }) => kind)).toEqual(['claimed']);
});
