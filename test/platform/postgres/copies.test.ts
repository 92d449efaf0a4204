import postgres from 'postgres';
import { expect, test } from 'vitest';
import { isRunning, postmasterOf } from '../../support/command.ts';
import { homeOf, inServer, makeCopies } from '../../support/copies.ts';

const copies = makeCopies();

// test/slow/platform/postgres/copies.test.ts tests a killed guard process and a server that cannot
// start.
test('each copy has the prepared data, and no data of another copy', async () => {
  const [one, other] = await Promise.all([copies.open(), copies.open()]);
  await inServer(one.url, (sql) => sql`update prepared set one = 2`);
  expect(await inServer(other.url, (sql) => sql`select one from prepared`)).toEqual([{ one: 1 }]);
  expect(await inServer(other.url, (sql) => sql`show autovacuum`)).toEqual([{ autovacuum: 'off' }]);
  await Promise.all([one.end(), other.end()]);
});

test('a copy ends immediately, even with a session that does not react to signals', async () => {
  const copy = await copies.open();
  const pid = postmasterOf(await homeOf(copy));
  const sql = postgres(copy.url, { max: 1 });
  const [session] = await sql`select pg_backend_pid() as pid`;
  process.kill(session?.pid, 'SIGSTOP');
  await copy.end();
  expect([pid, session?.pid].filter(isRunning)).toEqual([]);
  await sql.end({ timeout: 0 });
});
