import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { version } from '../../src/process/project.ts';
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
import { claimStatus, expectDrain, expectOneLine, urlOf } from '../support/server.ts';
import { bearer, payloadOf, signedWith } from '../support/tokens.ts';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
});

test.concurrent('one of two servers that start at once on a new directory serves, and the other says so', async () => {
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

test.concurrent('the server keeps its claims over SIGKILL', async () => {
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

test.concurrent('the server can be ended while its database is made, and leaves nothing unfinished', async () => {
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

test.concurrent('the server says who is let in, and asks for tokens if AUTH_JWT_SECRET is set', async () => {
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

test.concurrent('the server says how its worker works, and has none with WORKERS=0', async () => {
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

  test('if a living worker has the name of its worker', async () => {
    const url = await makeDatabase();
    const env = { DATABASE_URL: url, WORKER_NAME: 'ada' };
    await urlOf(runServer(env));
    await expectOneLine(runServer(env), 1, /^A living worker has the name "ada"/);
  });

  test('if HOST is no host', async () => {
    const HOST = 'no.such.host.invalid';
    const server = runServer({ DATABASE_URL: databaseUrl, HOST, AUTH: 'off' });
    await expectOneLine(server, 1, /^Cannot listen on HOST no.such.host.invalid/);
  });

  test('if there is no such database', async () => {
    const url = new URL(inject('scratchUrl'));
    url.pathname = 'no_such_database';
    await expectOneLine(runServer({ DATABASE_URL: url.href }), 1, /does not exist.*DATABASE_URL/);
  });
});
