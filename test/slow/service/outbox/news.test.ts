import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { startEmbedded } from '../../../../src/platform/postgres/embedded.ts';
import { prepareDatabase } from '../../../../src/service/database/migrate.ts';
import { atEnd } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';
import { change, openDb, readerOf } from '../../../support/news.ts';

describe('a reader must read all jobs again', () => {
  test('after the database server has crashed and recovered, although its start time stays the same', async () => {
    const server = await startEmbedded();
    atEnd(() => server.stop());
    await prepareDatabase(server.url, { demoData: true });
    let db = openDb(server.url);
    const read = await readerOf(() => db);
    await db.execute(change(1));
    expect(await read()).toEqual([1]);
    const [before] = await db.execute(sql`SELECT pg_postmaster_start_time()::text AS started`);
    const admin = postgres(server.url, { max: 1, onnotice: () => undefined });
    // The postmaster restarts all processes after the crash of one process.
    const [{ pid } = {}] = await admin`SELECT pg_backend_pid() AS pid`;
    process.kill(pid, 'SIGKILL');
    await admin.end({ timeout: 1 });
    const whenBack = { timeout: 20_000, interval: 100 };
    await vi.waitFor(() => openDb(server.url).execute(sql`SELECT 1`), whenBack);
    // The sessions of the old pool may have ended in the crash.
    db = openDb(server.url);
    const [after] = await db.execute(sql`SELECT pg_postmaster_start_time()::text AS started`);
    expect(after).toEqual(before);
    expect(await read()).toBeUndefined();
    await db.execute(change(2));
    expect(await read()).toEqual([2]);
  });
});

test('each of two readers reads each event of many concurrent writers exactly once', async () => {
  const url = await makeDatabase();
  const db = openDb(url);
  const writers = Array.from({ length: 8 }, () => postgres(url, { max: 1 }));
  atEnd(() => Promise.all(writers.map((writer) => writer.end())));
  const jobs = await db.execute(sql`
    INSERT INTO jobs (company_id, role) SELECT 1, 'R' FROM generate_series(1, 400) RETURNING id::int`);
  const ids = jobs.map(({ id }) => Number(id));
  const readers = [await readerOf(() => db), await readerOf(() => db)];
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
        // Some transactions get their id long before their event. Some commit long after their
        // event.
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
