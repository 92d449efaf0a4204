import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import postgres from 'postgres';
import { beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { version } from '../../src/platform/process/project.ts';
import {
  atEnd,
  type Command,
  isRunning,
  makeDataDir,
  postmasterOf,
  runServer,
  start,
} from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { claimStatus, expectDrain, expectOneLine, logOf, urlOf } from '../support/server.ts';
import { bearer, payloadOf, signedWith } from '../support/tokens.ts';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
});

test.concurrent('if two servers start at the same time on a new directory, one server serves and the other server says why it ends', async () => {
  const DATA_DIR = makeDataDir();
  const servers = [runServer({ DATA_DIR }), runServer({ DATA_DIR })];
  const loser = await Promise.race(servers.map((each) => each.ended.then(() => each)));
  expect(loser.stderr()).toMatch(
    /^No embedded PostgreSQL: Another Rowlock, process \d+, is running/,
  );
  const winner = servers.find((each) => each !== loser) as Command;
  expect(await claimStatus(await urlOf(winner), 1, 1)).toBe(200);
  expect(readdirSync(DATA_DIR)).toEqual(['data']);
  winner.child.kill('SIGTERM');
  expect((await winner.ended).code).toBe(0);
});

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
  // This test also runs on machines without Redis and etcd.
  const logged = logOf(first).filter(({ event }) => event !== 'the lab lacks a store');
  const told = logged.map(({ event, status }) => status ?? event);
  expect(told.slice(0, 9)).toEqual(['start', 200, 200, 200, 200, 403, 200, 'stop', 'drain begun']);
  // The tasks and the requests drain at the same time.
  expect(told.slice(9, -1).toSorted()).toEqual(['drain begun', 'drained', 'drained']);
  expect(told.at(-1)).toBe('stopped');
  expect(logged.every(({ level }) => level === 'info')).toBe(true);
  expect(logged.find(({ event }) => event === 'stop')).toMatchObject({ cause: 'SIGTERM' });
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

test.concurrent('a server that is killed by SIGKILL has its claims again after the next start', async () => {
  const DATA_DIR = makeDataDir();
  const first = runServer({ DATA_DIR });
  expect(await claimStatus(await urlOf(first), 1, 1)).toBe(200);
  const pid = postmasterOf(DATA_DIR);
  first.child.kill('SIGKILL');
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
  const second = runServer({ DATA_DIR });
  expect(await claimStatus(await urlOf(second), 1, 1)).toBe(409);
  second.child.kill('SIGINT');
  expect((await second.ended).code).toBe(0);
});

test.concurrent('a server that is stopped while it makes its database leaves no unfinished files', async () => {
  const DATA_DIR = makeDataDir();
  const server = runServer({ DATA_DIR });
  await vi.waitFor(() => expect(readdirSync(DATA_DIR)).toHaveLength(1), { timeout: 20_000 });
  server.child.kill('SIGTERM');
  expect(await server.ended).toEqual({ code: 143, signal: null });
  expect(server.stdout() + server.stderr()).toBe('');
  expect(readdirSync(DATA_DIR)).toEqual([]);
});

test.concurrent('the server ends if npm is killed', async () => {
  const npm = start('npm', ['start'], { DATABASE_URL: databaseUrl, PORT: '0' });
  const url = await urlOf(npm);
  npm.child.kill('SIGKILL');
  await npm.says(/Stopped\./);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test.concurrent('the server lets a running claim finish on SIGTERM, and refuses new requests', () =>
  expectDrain(databaseUrl, 'SIGTERM', 6));

test.concurrent('the server lets a running claim finish on SIGINT, and refuses new requests', () =>
  expectDrain(databaseUrl, 'SIGINT', 7));

test.concurrent('the server has no lab with DATABASE_URL unless LAB=on', async () => {
  const server = runServer({ DATABASE_URL: databaseUrl });
  expect((await fetch(`${await urlOf(server)}/lab/strategies`)).status).toBe(404);
  expect(server.stdout()).toContain('Workshop mode: off');
  expect(server.stdout()).not.toContain(new URL(databaseUrl).password);
  const workshop = runServer({ DATABASE_URL: databaseUrl, LAB: 'on' });
  expect((await fetch(`${await urlOf(workshop)}/lab/strategies`)).status).toBe(200);
});

test.concurrent('the server says who has access, and asks for tokens if AUTH_JWT_SECRET is set', async () => {
  const open = runServer({ DATABASE_URL: databaseUrl });
  expect((await fetch(`${await urlOf(open)}/jobs`)).status).toBe(200);
  await open.says(/^Access: open to all on this machine/m);

  const AUTH_JWT_SECRET = 'a secret of at least thirty-two bytes';
  const guarded = runServer({ DATABASE_URL: databaseUrl, HOST: '0.0.0.0', AUTH_JWT_SECRET });
  const { port } = new URL(await urlOf(guarded));
  const url = `http://127.0.0.1:${port}/jobs`;
  await guarded.says(/^Access: with a token signed with AUTH_JWT_SECRET$/m);
  expect((await fetch(url)).status).toBe(401);
  const token = await signedWith(AUTH_JWT_SECRET, payloadOf('admin', 'ada'));
  const response = await fetch(url, { headers: bearer(token) });
  expect(response.status).toBe(200);
  expect(response.headers.get('RateLimit-Policy')).toBe('1200;w=60');
  expect(guarded.stdout()).not.toContain(AUTH_JWT_SECRET);
});

test.concurrent('the server listens on every address without tokens if AUTH=off', async () => {
  const server = runServer({ DATABASE_URL: databaseUrl, HOST: '0.0.0.0', AUTH: 'off' });
  const { port } = new URL(await urlOf(server));
  await server.says(/^Access: OPEN TO ALL who reach it, since AUTH=off$/m);
  expect((await fetch(`http://127.0.0.1:${port}/jobs`)).status).toBe(200);
});

test.concurrent('the server describes its worker, and has no worker with WORKERS=0', async () => {
  const url = await makeDatabase();
  const sql = postgres(url, { max: 1 });
  atEnd(() => sql.end());
  const server = runServer({ DATABASE_URL: url, WORKER_NAME: 'ada', WORKERS: '7' });
  await server.says(/^Workers: "ada" runs up to 7 tasks at the same time/m);
  expect(await sql`SELECT name, places FROM workers`).toEqual([{ name: 'ada', places: 7 }]);
  server.child.kill('SIGINT');
  expect((await server.ended).code).toBe(0);
  expect(await sql`SELECT FROM workers WHERE stopped_at IS NULL`).toHaveLength(0);
  const without = runServer({ DATABASE_URL: url, WORKERS: '0' });
  await without.says(/^Workers: none in this process, since WORKERS=0$/m);
  expect(await sql`SELECT FROM workers`).toHaveLength(1);
});

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

  test('if DATA_DIR contains files that Rowlock did not make, and does not change them', async () => {
    const DATA_DIR = path.dirname(makeDataDir());
    writeFileSync(path.join(DATA_DIR, 'thesis.txt'), '');
    const before = statSync(DATA_DIR);
    await expectOneLine(
      runServer({ DATA_DIR }),
      1,
      /contains files that Rowlock did not make.*DATA_DIR/,
    );
    const { uid, mode } = statSync(DATA_DIR);
    expect({ uid, mode }).toEqual({ uid: before.uid, mode: before.mode });
  });

  test('if DATA_DIR is a file', async () => {
    const DATA_DIR = makeDataDir();
    writeFileSync(DATA_DIR, '');
    await expectOneLine(runServer({ DATA_DIR }), 1, /cannot be used \(ENOTDIR\).*DATA_DIR/);
  });

  test('if another living worker has the same name as the worker of the server', async () => {
    const url = await makeDatabase();
    const env = { DATABASE_URL: url, WORKER_NAME: 'ada' };
    await urlOf(runServer(env));
    await expectOneLine(runServer(env), 1, /^A living worker has the name "ada"/);
  });

  test('if no host has the name in HOST', async () => {
    const HOST = 'no.such.host.invalid';
    const server = runServer({ DATABASE_URL: databaseUrl, HOST, AUTH: 'off' });
    await expectOneLine(server, 1, /^Cannot listen on HOST no.such.host.invalid/);
  });

  test('if the database in DATABASE_URL does not exist', async () => {
    const url = new URL(inject('scratchUrl'));
    url.pathname = 'no_such_database';
    await expectOneLine(runServer({ DATABASE_URL: url.href }), 1, /does not exist.*DATABASE_URL/);
  });

  test('if it is stopped while it waits for the database', async () => {
    const server = runServer({ DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/jobs' });
    await vi.waitFor(() => expect(server.stderr()).toContain('Waiting up to 60 s'), 30_000);
    server.child.kill('SIGINT');
    const words = /^Waiting .+ Cannot use PostgreSQL at 127.0.0.1:1\/jobs(?!.*hunter2)/;
    await expectOneLine(server, 130, words);
  });
});
