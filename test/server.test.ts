import { test } from 'vitest';
import { runServer } from './support/command.ts';
import { makeDatabase } from './support/database.ts';
import { expectOneLine } from './support/server.ts';

// test/slow/server.test.ts tests more settings, the ways to end, and the embedded PostgreSQL.
test('the server ends with one line if HOST lets other machines in without tokens', async () => {
  const server = runServer({ DATABASE_URL: await makeDatabase(), HOST: '0.0.0.0' });
  await expectOneLine(server, 2, /^HOST lets other machines in.*AUTH_JWKS_URL.*AUTH=off/);
});
