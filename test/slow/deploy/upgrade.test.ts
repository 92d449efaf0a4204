import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { databaseAlone } from '../../../src/platform/db/alone.ts';
import {
  missingMigrations,
  production,
  readMigrations,
} from '../../../src/platform/db/migrations.ts';
import { migrateThrough, prepareDatabase } from '../../../src/service/database/migrate.ts';
import { atEnd, run } from '../../support/command.ts';
import { makeEmptyDatabase } from '../../support/database.ts';
import { whileLocked } from '../../support/locks.ts';

test('claims succeed during every migration', async () => {
  const demo = run('scripts/upgrade-demo.ts', ['--claims', '20000', '--sessions', '4']);
  expect(await demo.ended, demo.stderr()).toEqual({ code: 0, signal: null });
  expect(demo.stdout()).toContain('No claim failed.');
  const rows = [...demo.stdout().matchAll(/^(\d{4}_\S+) +[\d.]+ +(\d+) +(\d+)$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(
    readMigrations(production)
      .slice(1)
      .map(({ name }) => name),
  );
});

describe('a migration of a database in use', () => {
  const beforeEvents = '0007_no-workshop-tables';

  test('waits for a locked table in short attempts, so claims succeed between the attempts', async () => {
    const url = await makeEmptyDatabase();
    await migrateThrough(url, beforeEvents);
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    atEnd(() => sql.end());
    await sql`INSERT INTO companies (name) VALUES ('C')`;
    await sql`INSERT INTO jobs (company_id, role, capacity) VALUES (1, 'R', 1000)`;
    await sql`INSERT INTO recruiters (name) SELECT n::text FROM generate_series(1, 1000) n`;
    let claims = 0;
    const prepared = await whileLocked(
      url,
      'LOCK TABLE job_claims IN ROW EXCLUSIVE MODE',
      async ({ untilWaitedFor }) => {
        const preparing = prepareDatabase(url);
        await untilWaitedFor();
        for (; claims < 20; claims++)
          await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, ${claims + 1})`;
        return { preparing };
      },
    );
    await prepared.preparing;
    const { db, close } = databaseAlone(url, {});
    atEnd(() => close());
    expect(await missingMigrations(db)).toEqual([]);
    expect(await sql`SELECT FROM job_claims`).toHaveLength(claims);
  });

  test('gives up if a table stays locked, gives this reason, and leaves the database unchanged', async () => {
    const url = await makeEmptyDatabase();
    await migrateThrough(url, beforeEvents);
    await whileLocked(url, 'LOCK TABLE job_claims IN ROW EXCLUSIVE MODE', async () => {
      await expect(prepareDatabase(url, { patienceMs: 500 })).rejects.toThrow(
        /canceling statement due to lock timeout\. A migration failed, and was undone\.$/,
      );
    });
    await prepareDatabase(url);
  });

  test('replaces an index that a killed process left unfinished', async () => {
    const url = await makeEmptyDatabase();
    await migrateThrough(url, '0005_search-in-step');
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    atEnd(() => sql.end());
    await sql`CREATE UNIQUE INDEX job_claims_holders_idx ON job_claims (job_id)`;
    await sql`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'job_claims_holders_idx'::regclass`;
    await prepareDatabase(url);
    const [index] =
      await sql`SELECT pg_get_indexdef('job_claims_job_id_recruiter_id_key'::regclass) AS def`;
    expect(index?.def).toContain('(job_id, recruiter_id) INCLUDE (expires_at)');
  });
});
