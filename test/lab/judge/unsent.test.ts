import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { lineAbout } from '../../../src/lab/judge/place.ts';
import { watchLocks } from '../../../src/lab/judge/unsent.ts';
import { connect } from '../../../src/platform/db/client.ts';
import { jobs } from '../../../src/service/database/schema.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

const { db, close } = connect(await makeDatabase());
atEnd(() => close());
const unsent = watchLocks();
const job = eq(jobs.id, 1n);

test('a lock that is awaited, or that is part of another statement, is no unsent lock', async () => {
  await db.select().from(jobs).where(job).for('update');
  await db.transaction((tx) => tx.execute(sql`select from jobs for update`));
  await db.execute(sql`select pg_advisory_xact_lock(1)`);
  const locked = db.select({ id: jobs.id }).from(jobs).for('update').as('locked');
  await db.select().from(locked);
  await db.execute(sql`select 1`);
  expect(unsent()).toBeUndefined();
});

test('only a lock is watched', async () => {
  void db.select().from(jobs).where(job);
  void db.execute(sql`select 1`);
  expect(unsent()).toBeUndefined();
});

test('a lock that nothing awaits is found, with its place', async () => {
  const select = db.select().from(jobs).where(job).for('update');
  const found = unsent();
  expect(found && lineAbout(found, import.meta.filename)).toMatch(
    /unsent\.test\.ts: this lock is never sent\. Add await\.$/,
  );
  expect(found?.stack).toMatch(/unsent\.test\.ts:\d+/);
  await select;
  expect(unsent()).toBeUndefined();
  const raw = db.execute(sql`lock table jobs`);
  expect(unsent()).toBeDefined();
  await raw.catch(() => undefined);
  expect(unsent()).toBeUndefined();
});
