import postgres from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import { gist } from '../../../src/platform/postgres/binaries.ts';
import { expectNothingLeft, type Held, holdEmbedded } from '../../support/embedded.ts';

// Another process started this server. The second test kills the other process.
let held: Held;
beforeAll(async () => {
  held = await holdEmbedded();
});

test('an embedded PostgreSQL requires its password, and listens only on loopback', async () => {
  const admin = postgres(held.url, { max: 1 });
  expect(await admin`SHOW listen_addresses`).toEqual([{ listen_addresses: '127.0.0.1' }]);
  await admin.end();
  const url = new URL(held.url);
  url.password = 'guess';
  const sql = postgres(url.href, { max: 1 });
  await expect(sql`SELECT 1`).rejects.toMatchObject({ code: '28P01' });
  await sql.end({ timeout: 0 });
});

// test/slow/platform/postgres/embedded.test.ts ends the parent in more ways.
test('an embedded PostgreSQL leaves neither a server nor a directory if its parent ends by SIGKILL', () =>
  expectNothingLeft(held, 'SIGKILL'));

test('the error has the reason of PostgreSQL, without the logged statement', () => {
  const words = `2026 [1] LOG:  server process was terminated
2026 [1] DETAIL:  Failed process was running: select hunter2
2026 [1] FATAL:  out of memory
2026 [1] STATEMENT:  select hunter2
2026 [1] LOG:  database system is shut down
`;
  expect(gist(words, '/data')).toBe('out of memory');
  expect(gist('', '/data')).toBe('it gave no reason');
});

test('the error names a full disk, even if PostgreSQL refused clients afterwards', () => {
  const words = `2026 [1] PANIC:  could not write to file "pg_wal/xlogtemp.1": No space left on device
2026 [2] FATAL:  the database system is in recovery mode
2026 [1] LOG:  aborting startup due to startup process failure
`;
  expect(gist(words, '/data')).toMatch(/^no space left on device in \/data\. Make room there/);
});
