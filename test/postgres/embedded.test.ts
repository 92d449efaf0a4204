import { existsSync } from 'node:fs';
import postgres from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import { gist } from '../../src/postgres/binaries.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/postgres/embedded.ts';
import { atEnd, isRunning, parentOf, postmasterOf } from '../support/command.ts';
import { expectNothingLeft } from '../support/embedded.ts';

// test/slow/postgres/embedded.test.ts has more ways to end.
test('an embedded PostgreSQL leaves neither a server nor a directory if its parent ends by SIGKILL', () =>
  expectNothingLeft('SIGKILL'));

// The next two tests have the same server. The second test stops this server.
let server: EmbeddedPostgres;
beforeAll(async () => {
  server = await startEmbedded();
  atEnd(server.stop);
});

test('an embedded PostgreSQL wants its password, and listens on loopback alone', async () => {
  const admin = postgres(server.url, { max: 1 });
  expect(await admin`SHOW listen_addresses`).toEqual([{ listen_addresses: '127.0.0.1' }]);
  await admin.end();
  const url = new URL(server.url);
  url.password = 'guess';
  const sql = postgres(url.href, { max: 1 });
  await expect(sql`SELECT 1`).rejects.toMatchObject({ code: '28P01' });
  await sql.end({ timeout: 0 });
});

test('an embedded PostgreSQL stops at once, even with clients connected', async () => {
  const pid = postmasterOf(server.home);
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  const [row] = await sql`SELECT current_setting('server_version_num')::int / 10000 AS major`;
  expect(row?.major).toBe(18);
  await server.stop();
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(server.home)).toBe(false);
  await sql.end({ timeout: 0 });
});

test('an embedded PostgreSQL reports a server that ends by itself', async () => {
  const embedded = await startEmbedded();
  process.kill(postmasterOf(embedded.home), 'SIGKILL');
  expect(await embedded.failed).toMatch(/^PostgreSQL ended by itself: .+$/);
  await embedded.stop();
  expect(existsSync(embedded.home)).toBe(false);
});

test('the reason of PostgreSQL is told without the statement beside it', () => {
  const words = `2026 [1] LOG:  server process was terminated
2026 [1] DETAIL:  Failed process was running: select hunter2
2026 [1] FATAL:  out of memory
2026 [1] STATEMENT:  select hunter2
2026 [1] LOG:  database system is shut down
`;
  expect(gist(words, '/data')).toBe('out of memory');
  expect(gist('', '/data')).toBe('it gave no reason');
});

test('a full disk is given as the reason, even if clients were refused after it', () => {
  const words = `2026 [1] PANIC:  could not write to file "pg_wal/xlogtemp.1": No space left on device
2026 [2] FATAL:  the database system is in recovery mode
2026 [1] LOG:  aborting startup due to startup process failure
`;
  expect(gist(words, '/data')).toMatch(/^no space left on device in \/data\. Make room there/);
});

test('an embedded PostgreSQL leaves neither a server nor a directory if its guard is killed', async () => {
  const embedded = await startEmbedded();
  const pid = postmasterOf(embedded.home);
  process.kill(parentOf(pid), 'SIGKILL');
  expect(await embedded.failed).toMatch(/guards PostgreSQL ended/);
  await embedded.stop();
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(embedded.home)).toBe(false);
});
