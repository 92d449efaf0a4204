import { createServer } from 'node:net';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { atEnd, runServer } from './support/command.ts';
import { makeDatabase } from './support/database.ts';
import { expectDrain, expectOneLine } from './support/server.ts';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
});

// test/slow/server.test.ts has more settings, more ways to end, and the embedded PostgreSQL.
test.concurrent('the server lets a running claim finish on SIGTERM, and refuses new requests', () =>
  expectDrain(databaseUrl, 'SIGTERM', 6));

describe.concurrent('the server ends with one line', () => {
  test('if the port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    atEnd(() => taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const server = runServer({ DATABASE_URL: databaseUrl, PORT: String(port) });
    await expectOneLine(server, 1, new RegExp(`^Port ${port} on 127.0.0.1 is in use.*PORT`));
  });

  test('if a setting is wrong', async () => {
    await expectOneLine(runServer({ PORT: 'http' }), 2, /^PORT must be a whole number/);
  });

  test('if HOST lets others in without tokens', async () => {
    const server = runServer({ DATABASE_URL: databaseUrl, HOST: '0.0.0.0' });
    await expectOneLine(server, 2, /^HOST lets other machines in.*AUTH_JWKS_URL.*AUTH=off/);
  });

  test('if it is stopped while it waits for the database', async () => {
    const server = runServer({ DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/jobs' });
    await vi.waitFor(() => expect(server.stderr()).toContain('Waiting up to 60 s'), 30_000);
    server.child.kill('SIGINT');
    const words = /^Waiting .+ Cannot use PostgreSQL at 127.0.0.1:1\/jobs(?!.*hunter2)/;
    await expectOneLine(server, 130, words);
  });
});
