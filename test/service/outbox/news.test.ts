import { type SQL, sql } from 'drizzle-orm';
import postgres from 'postgres';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Connection, connect } from '../../src/db/client.ts';
import { prepareDatabase } from '../../src/db/migrate.ts';
import { readNews, type Seen, seenNow } from '../../src/outbox/queries.ts';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { atEnd } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';

let url: string;
let db: Connection['db'];

beforeEach(async () => {
  url = await makeDatabase();
  db = open(url).db;
});

function open(databaseUrl: string): Connection {
  const connection = connect(databaseUrl);
  atEnd(() => connection.close());
  return connection;
}

/** A reader. Each call gives the jobs of the events since the last call. */
async function makeReader(most = 1_000) {
  let seen: Seen = await seenNow(db);
  return async () => {
    const news = await readNews(db, seen, most);
    seen = news.seen;
    return news.jobIds?.map(Number).sort((a, b) => a - b);
  };
}

const change = (jobId: number): SQL =>
  sql`UPDATE jobs SET capacity = capacity + 1 WHERE id = ${jobId}`;

test('a reader finds the jobs of new events once', async () => {
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

test('a reader that begins during a transaction reads its events after the commit', async () => {
  const read = await db.transaction(async (late) => {
    await late.execute(change(1));
    return { begun: await makeReader() };
  });
  expect(await read.begun()).toEqual([1]);
});

test('an event of a savepoint is read with its transaction, and an undone event is never read', async () => {
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

test('wide gaps in the numbers of events and transactions hide no event', async () => {
  const read = await makeReader();
  await db.execute(sql`SELECT setval('events_id_seq', 9000000000)`);
  for (let n = 0; n < 50; n++) await db.execute(sql`SELECT pg_current_xact_id()`);
  await db.execute(change(1));
  expect(await read()).toEqual([1]);
});

describe('a reader must read all jobs again', () => {
  test('after more events than it takes', async () => {
    const read = await makeReader(3);
    await db.execute(sql`UPDATE jobs SET capacity = 9 WHERE id <= 3`);
    expect(await read()).toEqual([1, 2, 3]);
    await db.execute(sql`UPDATE jobs SET capacity = 10 WHERE id <= 4`);
    expect(await read()).toBeUndefined();
    await db.execute(change(5));
    expect(await read()).toEqual([5]);
  });

  test('after more events than it takes in a transaction that was running', async () => {
    const reading = await db.transaction(async (tx) => {
      await tx.execute(sql`UPDATE jobs SET capacity = 10 WHERE id <= 4`);
      return { read: await makeReader(3) };
    });
    expect(await reading.read()).toBeUndefined();
  });

  test('after a crash that the server recovers from, although it keeps its start time', async () => {
    const server = await startEmbedded();
    atEnd(() => server.stop());
    await prepareDatabase(server.url, { demoData: true });
    db = open(server.url).db;
    const read = await makeReader();
    await db.execute(change(1));
    expect(await read()).toEqual([1]);
    const [before] = await db.execute(sql`SELECT pg_postmaster_start_time()::text AS started`);
    const admin = postgres(server.url, { max: 1, onnotice: () => undefined });
    // The postmaster restarts all processes after the crash of one process.
    const [{ pid } = {}] = await admin`SELECT pg_backend_pid() AS pid`;
    process.kill(pid, 'SIGKILL');
    await admin.end({ timeout: 1 });
    const whenBack = { timeout: 20_000, interval: 100 };
    await vi.waitFor(() => open(server.url).db.execute(sql`SELECT 1`), whenBack);
    // The sessions of the old pool may have ended in the crash.
    db = open(server.url).db;
    const [after] = await db.execute(sql`SELECT pg_postmaster_start_time()::text AS started`);
    expect(after).toEqual(before);
    expect(await read()).toBeUndefined();
    await db.execute(change(2));
    expect(await read()).toEqual([2]);
  });

  test('after another server has answered, or the same server before its restart', async () => {
    const seen = await seenNow(db);
    const before = seen.server.replace(/^\S+/, (started) => String(Number(started) - 60));
    for (const server of ['another server', before])
      expect((await readNews(db, { ...seen, server }, 1_000)).jobIds).toBeUndefined();
    expect((await readNews(db, seen, 1_000)).jobIds).toEqual([]);
  });
});

test('events with a transaction id that the server has not reached are not read', async () => {
  const read = await makeReader();
  await db.execute(sql`
    INSERT INTO events (job_id, company_id, number, kind, role, capacity, claimed, xid)
    VALUES (77, 1, 1, 'posted', 'Restored', 4, 0, '9000000000')`);
  expect(await read()).toEqual([]);
});

test('two readers read each event of many concurrent writers exactly once', async () => {
  const writers = Array.from({ length: 8 }, () => postgres(url, { max: 1 }));
  atEnd(() => Promise.all(writers.map((writer) => writer.end())));
  const jobs = await db.execute(sql`
    INSERT INTO jobs (company_id, role) SELECT 1, 'R' FROM generate_series(1, 400) RETURNING id::int`);
  const ids = jobs.map(({ id }) => Number(id));
  const readers = [await makeReader(), await makeReader()];
  const read: number[][] = [[], []];
  let isOver = false;
  const reading = readers.map(async (next, index) => {
    for (let last = false; !last; ) {
      last = isOver;
      read[index]?.push(...((await next()) ?? []));
    }
  });
  const committed: number[] = [];
  const writing = writers.map(async (writer) => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const jobId = id;
      const isUndone = Math.random() < 0.2;
      const work = writer.begin(async (tx) => {
        // Some transactions have an id for long before their event, and some have a long end.
        if (Math.random() < 0.5) await tx`SELECT pg_current_xact_id()`;
        if (Math.random() < 0.5) await tx`SELECT pg_sleep(random() * 0.02)`;
        await tx.savepoint((inner) => inner`UPDATE jobs SET capacity = 5 WHERE id = ${jobId}`);
        if (Math.random() < 0.5) await tx`SELECT pg_sleep(random() * 0.02)`;
        if (isUndone) throw new Error('undone');
      });
      await work.then(
        () => committed.push(jobId),
        () => undefined,
      );
    }
  });
  await Promise.all(writing);
  isOver = true;
  await Promise.all(reading);
  expect(committed.length).toBeGreaterThan(200);
  for (const each of read) expect(each.toSorted()).toEqual(committed.toSorted());
});

test('no read scans the whole history, however often a session has read', async () => {
  const alone = connect(url, { connections: 1 });
  atEnd(() => alone.close());
  await alone.db.execute(sql`
    INSERT INTO events (job_id, company_id, number, kind, role, capacity, claimed)
    SELECT 999, 1, n, 'changed', 'R', 4, 0 FROM generate_series(1, 50000) AS n`);
  const scans = async () => {
    await alone.db.execute(sql`SELECT pg_stat_force_next_flush()`);
    const [row] = await alone.db.execute(sql`
      SELECT seq_scan::int, idx_scan::int FROM pg_stat_user_tables WHERE relname = 'events'`);
    return row as { seq_scan: number; idx_scan: number };
  };
  // Without statistics, with statistics, and with the plan for any parameters after five reads.
  let seen = await seenNow(alone.db);
  const before = await scans();
  for (let n = 0; n < 20; n++) {
    if (n === 8) await alone.db.execute(sql`ANALYZE events`);
    seen = (await readNews(alone.db, seen, 10_000)).seen;
  }
  const after = await scans();
  // ANALYZE reads some blocks, but that is no scan of the table.
  expect(after.seq_scan).toBe(before.seq_scan);
  expect(after.idx_scan).toBeGreaterThanOrEqual(before.idx_scan + 20);
});
