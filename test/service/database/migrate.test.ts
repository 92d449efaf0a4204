import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import * as claimsChapter from '../../../src/lab/chapters/claims/tables.ts';
import { chapters } from '../../../src/lab/chapters/index.ts';
import { anyOf } from '../../../src/platform/db/arrays.ts';
import { connect } from '../../../src/platform/db/client.ts';
import { migrationsFolder } from '../../../src/platform/db/migrations.ts';
import { openScratch } from '../../../src/platform/postgres/scratch.ts';
import { prepareDatabase } from '../../../src/service/database/migrate.ts';
import * as schema from '../../../src/service/database/schema.ts';
import * as outbox from '../../../src/service/outbox/tables.ts';
import * as queue from '../../../src/service/queue/tables.ts';
import * as webhooks from '../../../src/service/webhooks/tables.ts';
import { makeDatabase, makeEmptyDatabase, makeLabDatabase } from '../../support/database.ts';

const production = { ...schema, ...outbox, ...queue, ...webhooks };

test.each([
  { of: 'production', folder: migrationsFolder, tables: production },
  { of: 'the chapter claims', folder: claimsChapter.migrations, tables: claimsChapter },
])('the committed migrations make exactly the tables of $of', async ({ folder, tables }) => {
  const meta = path.join(folder, 'meta');
  const newest = readdirSync(meta)
    .filter((name) => name.endsWith('_snapshot.json'))
    .sort()
    .at(-1);
  const snapshot = JSON.parse(readFileSync(path.join(meta, newest ?? ''), 'utf8'));
  const wanted = generateDrizzleJson(tables, snapshot.id);
  expect(await generateMigration(snapshot, wanted)).toEqual([]);
});

test('six instances can prepare the same empty database at the same time', async () => {
  const url = await makeEmptyDatabase();
  await Promise.all(Array.from({ length: 6 }, () => prepareDatabase(url, { demoData: true })));
  const sql = postgres(url, { max: 1 });
  const [counts] = await sql`
    SELECT (SELECT count(*)::int FROM companies) AS companies,
           (SELECT count(*)::int FROM jobs) AS jobs,
           (SELECT count(*)::int FROM recruiters) AS recruiters,
           (SELECT count(*)::int FROM drizzle.__drizzle_migrations) AS migrations`;
  await sql.end();
  const migrations = readdirSync(migrationsFolder).filter((name) => name.endsWith('.sql')).length;
  expect(counts).toEqual({ companies: 6, jobs: 24, recruiters: 120, migrations });
});

const schemasOf = async (url: string) => {
  const sql = postgres(url, { max: 1 });
  const rows = await sql`
    SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'`;
  await sql.end();
  return rows.map(({ nspname }) => nspname).sort();
};

test('a migrated production database has no schema of the lab, and a scratch database of the lab has one schema for each chapter', async () => {
  expect(await schemasOf(await makeDatabase())).toEqual(['drizzle', 'public']);
  expect(await schemasOf(await makeLabDatabase())).toEqual([
    'drizzle',
    'lab_claims',
    'lab_queue',
    'lab_retries',
    'lab_time',
    'lab_waitlist',
    'public',
  ]);
});

test('a claim in a scratch database of the lab appends no event, because the trigger would lock the job', async () => {
  const sql = postgres(await makeLabDatabase(), { max: 1 });
  const [{ company } = {}] =
    await sql`INSERT INTO companies (name) VALUES ('C') RETURNING id AS company`;
  const [{ job } = {}] = await sql`
    INSERT INTO jobs (company_id, role) VALUES (${company}, 'R') RETURNING id AS job`;
  const [{ recruiter } = {}] = await sql`
    INSERT INTO recruiters (name) VALUES ('R') RETURNING id AS recruiter`;
  await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (${job}, ${recruiter})`;
  await sql`DELETE FROM job_claims`;
  const [counts] = await sql`SELECT count(*)::int AS events FROM events WHERE job_id = ${job}`;
  await sql.end();
  expect(counts).toEqual({ events: 0 });
});

test.each(chapters)('the tables of the chapter $name are in its own schema', (chapter) => {
  const files = readdirSync(chapter.migrations).filter((name) => name.endsWith('.sql'));
  const text = files
    .map((name) => readFileSync(path.join(chapter.migrations, name), 'utf8'))
    .join();
  const made = [...text.matchAll(/CREATE (?:SCHEMA|TABLE) "(\w+)"/g)].map(([, schema]) => schema);
  expect(new Set(made)).toEqual(new Set([`lab_${chapter.name}`]));
});

test('the migration that drops the tables of the lab keeps unknown tables, and tables that a view uses', async () => {
  const url = await makeDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql`CREATE SCHEMA lab`;
  await sql`CREATE TABLE lab.counters (capacity int)`;
  await sql`CREATE TABLE lab.slots ()`;
  await sql`CREATE TABLE lab.theirs ()`;
  await sql`CREATE VIEW public.theirs AS SELECT capacity FROM lab.counters`;
  const migration = readFileSync(
    path.join(migrationsFolder, '0007_no-workshop-tables.sql'),
    'utf8',
  );
  await sql.begin((tx) => tx.unsafe(migration));
  const left = await sql`
    SELECT relname FROM pg_class WHERE relnamespace = 'lab'::regnamespace AND relkind = 'r' ORDER BY 1`;
  await sql.end();
  expect(left.map(({ relname }) => relname)).toEqual(['counters', 'theirs']);
});

test('the constraints on claims have the names by which `settle` recognizes them', async () => {
  const sql = postgres(await makeDatabase(), { max: 1 });
  const rows = await sql`
    SELECT conname FROM pg_constraint WHERE conrelid = 'job_claims'::regclass AND contype IN ('u', 'f')`;
  await sql.end();
  expect(rows.map((row) => row.conname).sort()).toEqual(
    [schema.HELD_ONCE, schema.CLAIMED_JOB_EXISTS, schema.CLAIMING_RECRUITER_EXISTS].sort(),
  );
});

test('the holders of a job and the ends of their leases are read from an index alone', async () => {
  const url = await makeDatabase();
  const { db, close } = connect(url);
  const statement = db
    .select({ recruiterId: schema.jobClaims.recruiterId, expiresAt: schema.jobClaims.expiresAt })
    .from(schema.jobClaims)
    .where(anyOf(schema.jobClaims.jobId, [1n, 2n]));
  // On few rows, PostgreSQL may prefer other scans. The test forbids these scans, to see whether
  // the index alone has all columns.
  const plan = await db.transaction(async (tx) => {
    await tx.execute(sql`SET LOCAL enable_seqscan = off`);
    await tx.execute(sql`SET LOCAL enable_bitmapscan = off`);
    return tx.execute(sql`EXPLAIN ${statement}`);
  });
  await close();
  expect(JSON.stringify(plan)).toContain(`Index Only Scan using ${schema.HELD_ONCE}`);
});

test('a job needs a capacity above zero, and has four slots by default', async () => {
  const sql = postgres(await makeDatabase(), { max: 1 });
  await expect(
    sql`INSERT INTO jobs (company_id, role, capacity) VALUES (1, 'x', 0)`,
  ).rejects.toMatchObject({ code: '23514', constraint_name: 'jobs_capacity_positive' });
  const [job] = await sql`INSERT INTO jobs (company_id, role) VALUES (1, 'x') RETURNING capacity`;
  await sql.end();
  expect(job?.capacity).toBe(4);
});

test('the error of an unusable database names its address without the password', async () => {
  await expect(prepareDatabase('postgres://me:hunter2@127.0.0.1:1/jobs')).rejects.toThrow(
    /^Cannot use PostgreSQL at 127\.0\.0\.1:1\/jobs: .*ECONNREFUSED.*DATABASE_URL/,
  );
});

test('a server that closes each connection is reported as unusable immediately', async () => {
  const server = createServer((socket) => void socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `postgres://me:hunter2@127.0.0.1:${port}/jobs`;
  const words = /^Cannot use PostgreSQL at 127\.0\.0\.1:\d+\/jobs: the connection .* was lost/;
  await expect(prepareDatabase(url)).rejects.toThrow(words);
  await expect(openScratch(url)).rejects.toThrow(words);
});
