import { createServer } from 'node:net';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { version } from '../src/process/project.ts';
import { atEnd, makeDataDir, runServer } from './support/command.ts';
import { makeDatabase } from './support/database.ts';
import { claimStatus, expectDrain, expectOneLine, urlOf } from './support/server.ts';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
});

// test/slow/server.test.ts kills a server.
test.concurrent('the server keeps its demo data and its claims over a restart', async () => {
  const DATA_DIR = makeDataDir();
  const first = runServer({ DATA_DIR });
  const url = await urlOf(first);
  expect(new URL(url).hostname).toBe('127.0.0.1');
  const statuses = [];
  for (const recruiterId of [1, 2, 3, 4, 5]) statuses.push(await claimStatus(url, 1, recruiterId));
  expect(statuses).toEqual([200, 200, 200, 200, 403]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/lab/strategies`)).status).toBe(200);
  first.child.kill('SIGTERM');
  expect(await first.ended).toEqual({ code: 0, signal: null });
  expect(first.stdout()).toContain('Stopped.');
  const logged = first
    .stderr()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(logged.map(({ level, event, status }) => [level, event, status])).toEqual([
    ['info', 'start', undefined],
    ...[200, 200, 200, 200, 403, 200].map((status) => ['info', 'request', status]),
  ]);
  expect(logged[0]).toMatchObject({ program: 'server', version, node: process.version });

  const second = runServer({ DATA_DIR });
  expect(await claimStatus(await urlOf(second), 1, 1)).toBe(409);
  const third = runServer({ DATA_DIR });
  expect((await third.ended).code).toBe(1);
  const words = `^No embedded PostgreSQL: Another Rowlock, process ${second.child.pid}, is running on .+\n$`;
  expect(third.stderr()).toMatch(new RegExp(words));
  second.child.kill('SIGINT');
  expect((await second.ended).code).toBe(0);
});

// test/slow/server.test.ts has more settings, and more ways to end.
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
