import { existsSync } from 'node:fs';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { gist } from '../../src/postgres/binaries.ts';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { isRunning, parentOf, postmasterOf, run } from '../support/command.ts';

test.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'an embedded PostgreSQL leaves neither a server nor a directory if its parent ends by %s',
  async (signal) => {
    const parent = run('test/support/hold-embedded.ts', []);
    const home = (await parent.says(/home (.+)\n/))[1] ?? '';
    const pid = postmasterOf(home);
    expect(isRunning(pid)).toBe(true);
    parent.child.kill(signal);
    await parent.ended;
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
    await vi.waitFor(() => expect(existsSync(home)).toBe(false), { timeout: 20_000 });
  },
);

test('an embedded PostgreSQL stops at once, even with clients connected', async () => {
  const embedded = await startEmbedded();
  const pid = postmasterOf(embedded.home);
  const sql = postgres(embedded.url, { max: 1, onnotice: () => undefined });
  const [row] = await sql`SELECT current_setting('server_version_num')::int / 10000 AS major`;
  expect(row?.major).toBe(18);
  await embedded.stop();
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(embedded.home)).toBe(false);
  await sql.end({ timeout: 0 });
});

test('an embedded PostgreSQL wants its password, and listens on loopback alone', async () => {
  const embedded = await startEmbedded();
  const admin = postgres(embedded.url, { max: 1 });
  expect(await admin`SHOW listen_addresses`).toEqual([{ listen_addresses: '127.0.0.1' }]);
  await admin.end();
  const url = new URL(embedded.url);
  url.password = 'guess';
  const sql = postgres(url.href, { max: 1 });
  await expect(sql`SELECT 1`).rejects.toMatchObject({ code: '28P01' });
  await sql.end({ timeout: 0 });
  await embedded.stop();
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
