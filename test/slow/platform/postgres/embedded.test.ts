import { existsSync } from 'node:fs';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { startEmbedded } from '../../../../src/platform/postgres/embedded.ts';
import { isRunning, parentOf, postmasterOf } from '../../../support/command.ts';
import { expectNothingLeft, holdEmbedded } from '../../../support/embedded.ts';

test.concurrent.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'an embedded PostgreSQL leaves neither a server nor a directory if its parent ends by %s',
  async (signal) => expectNothingLeft(await holdEmbedded(), signal),
);

test('an embedded PostgreSQL stops immediately, even with clients connected', async () => {
  const server = await startEmbedded();
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

test('an embedded PostgreSQL leaves neither a server nor a directory if its guard is killed', async () => {
  const embedded = await startEmbedded();
  const pid = postmasterOf(embedded.home);
  process.kill(parentOf(pid), 'SIGKILL');
  expect(await embedded.failed).toMatch(/guards PostgreSQL ended/);
  await embedded.stop();
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(embedded.home)).toBe(false);
});
