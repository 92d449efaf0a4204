import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { dropLeftovers, openScratch } from '../../../src/platform/postgres/scratch.ts';
import { startScratchServer } from '../../support/scratch.ts';

const { server, sql, databases, sessionsOf } = await startScratchServer();

// test/slow/platform/postgres/scratch.test.ts kills the owners, and has an account with fewer rights.
test('the databases of owners that are gone are dropped, and no other database', async () => {
  const living = await openScratch(server.url);
  const gone = `rowlock_scratch_owned_${randomBytes(8).toString('hex')}`;
  const alike = 'rowlock_scratch_of_mine';
  for (const name of [gone, `${gone}_bench`, alike]) await sql`CREATE DATABASE ${sql(name)}`;
  expect(await dropLeftovers(server.url)).toEqual([]);
  expect(await databases()).toEqual([alike, new URL(living.url).pathname.slice(1)]);
  await living.stop();
  await sql`DROP DATABASE ${sql(alike)}`;
});

test('the owner of a scratch database keeps the database when PostgreSQL restarts', async () => {
  const scratch = await openScratch(server.url);
  const name = new URL(scratch.url).pathname.slice(1);
  const before = await sessionsOf(name);
  await server.restart();
  await vi.waitFor(async () => expect(await sessionsOf(name)).toHaveLength(1), { timeout: 20_000 });
  expect(await sessionsOf(name)).not.toEqual(before);
  await dropLeftovers(server.url);
  expect(await databases()).toContain(name);
  await scratch.stop();
  expect(await databases()).not.toContain(name);
  await vi.waitFor(async () => expect(await sessionsOf(name)).toEqual([]), { timeout: 20_000 });
});
