import { sql } from 'drizzle-orm';
import { beforeEach, expect, test, vi } from 'vitest';
import { connect, type DatabaseConnection } from '../../../src/platform/db/client.ts';
import { startClearing } from '../../../src/service/operation/clearing.ts';
import { removeOldEvents } from '../../../src/service/outbox/clearing.ts';
import { collectLog, makeApp } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { whileLocked } from '../../support/locks.ts';

let db: DatabaseConnection['db'];
let url: string;
beforeEach(async () => {
  url = await makeDatabase();
  const connection = connect(url);
  atEnd(() => connection.close());
  db = connection.db;
  await db.execute(sql`DELETE FROM events`);
});

/** Appends one event of the job for each of these ages in days. */
async function append(jobId: number, ...ages: number[]) {
  for (const age of ages) {
    await db.execute(sql`UPDATE jobs SET capacity = capacity + 1 WHERE id = ${jobId}`);
    await db.execute(sql`UPDATE events SET at = now() - make_interval(days => ${age}::int)
      WHERE id = (SELECT max(id) FROM events)`);
  }
}

const left = async () => {
  const rows = await db.execute(sql`SELECT job_id, number FROM events ORDER BY job_id, number`);
  return rows.map(({ job_id, number }) => `${job_id} #${number}`);
};

/** Passes once over the old events. Returns how many events each transaction examined. */
async function clear(days: number, limit: number): Promise<number[]> {
  const remove = removeOldEvents(days);
  const examined: number[] = [];
  do examined.push(await db.transaction((tx) => remove(tx, limit)));
  while (examined.at(-1) === limit);
  return examined;
}

test('old events are removed batch by batch, and young events stay', async () => {
  await append(1, 40, 31, 29, 1);
  await append(2, 32, 2);
  // The events of job 2 have larger ids than the young events of job 1.
  expect(await clear(30, 2)).toEqual([2, 0]);
  expect(await left()).toEqual(['1 #3', '1 #4', '2 #1', '2 #2']);
  await db.execute(sql`UPDATE events SET at = now() - interval '31 days' WHERE job_id = 1`);
  expect(await clear(30, 2)).toEqual([2, 1]);
  expect(await left()).toEqual(['1 #4', '2 #2']);
});

test('the newest event of a job stays although it is old, so the next event has the next number', async () => {
  await append(1, 40, 40, 40);
  await append(2, 40);
  await append(3, 40, 40);
  expect(await clear(30, 2)).toEqual([2, 2, 2, 0]);
  expect(await left()).toEqual(['1 #3', '2 #1', '3 #2']);
  await append(1, 0);
  expect(await clear(30, 2)).toEqual([2, 1]);
  expect(await left()).toEqual(['1 #4', '2 #1', '3 #2']);
});

test('all events of a job that was removed long ago are removed', async () => {
  await db.execute(sql`INSERT INTO jobs (id, company_id, role) VALUES (801, 1, 'R')`);
  await db.execute(sql`DELETE FROM jobs WHERE id = 801`);
  await db.execute(sql`UPDATE events SET at = now() - interval '31 days'`);
  expect(await clear(30, 500)).toEqual([2]);
  expect(await left()).toEqual([]);
});

test('the cleanup of the service removes old events', async () => {
  await append(1, 40, 40, 0);
  const { log, events } = collectLog();
  const clearing = startClearing(db, log);
  await vi.waitFor(async () => expect(await left()).toEqual(['1 #3']), { timeout: 20_000 });
  await clearing.stop();
  expect(events).toEqual([]);
});

test('a claim does not wait for the cleanup, and the cleanup does not wait for a claim', async () => {
  const { claim } = await makeApp({ url });
  await append(1, 40, 40);
  const clearing = 'DELETE FROM events WHERE job_id = 1 AND number = 1';
  await whileLocked(url, clearing, async () => expect((await claim(1, 1)).status).toBe(200));
  const claiming = 'INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 2)';
  await append(1, 40);
  await db.execute(sql`UPDATE events SET at = now() - interval '40 days'`);
  await whileLocked(url, claiming, async () => expect(await clear(30, 500)).toEqual([3]));
});
