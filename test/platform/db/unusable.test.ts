import { randomBytes } from 'node:crypto';
import { DrizzleQueryError } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, expect, inject, test } from 'vitest';
import { nothingRan, SQLSTATE } from '../../../src/platform/db/sqlstate.ts';
import { MIGRATION_LOCK } from '../../../src/platform/db/turn.ts';
import { unusable } from '../../../src/platform/db/unusable.ts';
import { openScratch } from '../../../src/platform/postgres/scratch.ts';
import { prepareDatabase } from '../../../src/service/database/migrate.ts';
import { makeDatabase, makeEmptyDatabase } from '../../support/database.ts';
import { whileLocked } from '../../support/locks.ts';

const admin = postgres(inject('scratchUrl'), { max: 1, onnotice: () => undefined });
const role = `rowlock_${randomBytes(6).toString('hex')}`;
afterAll(async () => {
  await admin`drop role if exists ${admin(role)}`;
  await admin.end();
});

/** Returns the address with another account or another database name. */
function changed(
  address: string,
  change: Partial<Pick<URL, 'username' | 'password' | 'pathname'>>,
) {
  return Object.assign(new URL(address), change).href;
}
const NAME = /^Cannot use PostgreSQL at 127\.0\.0\.1:\d+\/\w+: /;

async function expectWords(failing: Promise<unknown>, words: RegExp) {
  const error = await failing.catch((thrown: Error) => thrown);
  const message = error instanceof Error ? error.message : 'it did not fail';
  expect(message).toMatch(NAME);
  expect(message.replace(NAME, '')).toMatch(words);
}

test('the error of an unreachable server names DATABASE_URL', async () => {
  const failing = prepareDatabase('postgres://me:hunter2@127.0.0.1:1/jobs');
  await expectWords(
    failing,
    /^connect ECONNREFUSED .*\. Check DATABASE_URL, and whether PostgreSQL runs there\.$/,
  );
});

test('the error of a wrong password names the password', async () => {
  const url = changed(inject('scratchUrl'), { password: 'hunter2' });
  const words = /^password authentication failed .*\. Check the user and the password(?!.*hunter2)/;
  await expectWords(prepareDatabase(url), words);
});

test('the error of a missing database names the database', async () => {
  const url = changed(inject('scratchUrl'), { pathname: 'no_such_database' });
  await expectWords(prepareDatabase(url), /does not exist\. Check the name of the database in/);
});

test('the error names a missing right, and no other cause', async () => {
  await admin`create role ${admin(role)} login password 'secret'`;
  const url = changed(inject('scratchUrl'), { username: role, password: 'secret' });
  const words =
    /^permission denied to create database\. Give the account in DATABASE_URL this right\.$/;
  await expectWords(openScratch(url), words);
});

test('the error names a failed migration as the cause, and not DATABASE_URL', async () => {
  const url = await makeDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql`drop schema drizzle cascade`;
  await sql.end();
  const words = /^relation "\w+" already exists\. A migration failed, and was undone\.$/;
  await expectWords(prepareDatabase(url), words);
});

test('if another migration takes too long, the error says that another process migrates', async () => {
  const url = await makeEmptyDatabase();
  const lock = `SELECT pg_advisory_lock(${MIGRATION_LOCK})`;
  await whileLocked(url, lock, async () => {
    await expect(prepareDatabase(url, { patienceMs: 200 })).rejects.toThrow(
      'Another process is still migrating this database. Try again later.',
    );
  });
});

test('the error names the demo data as the cause, and not the migrations', async () => {
  const url = await makeEmptyDatabase();
  await prepareDatabase(url);
  const sql = postgres(url, { max: 1 });
  await sql`ALTER TABLE companies ADD CHECK (name = 'nobody')`;
  await sql.end();
  const words = /violates check constraint "\w+"\. The demo data could not be added\.$/;
  await expectWords(prepareDatabase(url, { demoData: true }), words);
});

test('the message has the cause, and neither the SQL nor the parameters of the statement', () => {
  const full = Object.assign(new Error('no space left on device'), { code: SQLSTATE.diskFull });
  const statement = new DrizzleQueryError('insert into x', ['hunter2'], full);
  const words =
    'Cannot use X: no space left on device. The disk of the database is full. Make room there.';
  expect(unusable('X', statement).message).toBe(words);
  expect(unusable('X', nothingRan(statement)).message).toBe(words);
});
