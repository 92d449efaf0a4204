/**
 * Tests of a server that may open too few files for clients, for the database, or for any other
 * use.
 */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { beforeAll, expect, inject, test, vi } from 'vitest';
import { programOf } from '../../../../../src/platform/process/build.ts';
import { fileLimit, socketsWith } from '../../../../../src/service/http/edge/listen.ts';
import { atEnd, type Command, start } from '../../../../support/command.ts';
import { makeDatabase } from '../../../../support/database.ts';
import { programFile } from '../../../../support/program.ts';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
});

const HAS_LIMITS = process.platform !== 'win32';

/**
 * Starts a server with a limit of open files. Node 20 needs 120 files to load the server. The
 * server acts as if `npm start` had started it.
 */
async function serverWith(files: number): Promise<{ server: Command; port: number }> {
  const server = start(
    'sh',
    [
      '-c',
      `ulimit -n ${files}; exec "$0" "$@"`,
      process.execPath,
      ...programOf(inject('serverProgram')),
    ],
    {
      DATABASE_URL: databaseUrl,
      PORT: '0',
      LAB: 'on',
      LOG_LEVEL: 'error',
      npm_lifecycle_event: 'start',
    },
  );
  const [, port] = await server.says(/listens on \S+:(\d+)[\s\S]+Ctrl-C/);
  return { server, port: Number(port) };
}

/** The paths that need a file or a connection, and some paths that need neither. */
const PATHS = [
  ...['/jobs', '/jobs/1', '/claim-job?jobId=1&recruiterId=1', '/companies', '/claims/1', '/readyz'],
  ...['/', '/lab', '/docs', '/docs/start.js', '/openapi.json', '/metrics', '/healthz', '/nowhere'],
  ...['/lab/strategies', '/lab/strategies/naive', '/lab/sandbox', '/jobs/events?jobId=1'],
];

/** Requests a path. Returns the status and the code of the answer. Leaves a stream immediately. */
async function ask(port: number, path: string, agent: Agent): Promise<string> {
  const asked = request({ port, host: '127.0.0.1', path, agent }).end();
  const [answer] = await once(asked, 'response');
  if (answer.headers['content-type'] === 'text/event-stream') answer.destroy();
  let text = '';
  for await (const chunk of answer.setEncoding('utf8').on('error', () => undefined)) text += chunk;
  const code = /"code":"([^"]+)"/.exec(text)?.[1];
  return [path, answer.statusCode, code].filter(Boolean).join(' ');
}

async function askAll(port: number, agent: Agent): Promise<string[]> {
  const answers: string[] = [];
  for (const path of PATHS) answers.push(await ask(port, path, agent).catch(String));
  return answers;
}

const failures = (answers: string[]) => answers.filter((each) => !/ (2|4)\d\d( |$)/.test(each));

test('the server keeps a reserve of files, and takes at most 20,000 connections', () => {
  const limits = [128, 256, 1_024, 20_000, 1_048_576, Number.POSITIVE_INFINITY];
  expect(limits.map(socketsWith)).toEqual([32, 136, 904, 19_880, 20_000, 20_000]);
});

test.runIf(HAS_LIMITS)('the limit of open files of this process is found', () => {
  const { excludeNetwork } = process.report as { excludeNetwork?: boolean };
  const shell = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  expect(String(fileLimit()).replace('Infinity', 'unlimited')).toBe(shell);
  expect(process.report).toMatchObject({ excludeNetwork });
});

test.runIf(HAS_LIMITS)('a crowd of connections leaves the server enough files', async () => {
  const { server, port } = await serverWith(200);
  expect(server.stdout()).toMatch(/^Connections: at most 80, since/m);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await ask(port, '/healthz', agent)).toBe('/healthz 200');
  let closed = 0;
  const crowd = Array.from({ length: 400 }, () => {
    const socket: Socket = connect(port, '127.0.0.1').on('error', () => undefined);
    return socket.on('close', () => closed++);
  });
  atEnd(() => crowd.map((socket) => socket.destroy()));
  const theOthersAreOut = async () => {
    // Without requests, the server would close this connection after five seconds.
    await ask(port, '/healthz', agent);
    expect(closed).toBe(400 - 79);
  };
  await vi.waitFor(theOthersAreOut, { timeout: 20_000 });
  expect(failures(await askAll(port, agent))).toEqual([]);
  for (const socket of crowd) socket.destroy();
  const isAnswered = async () => expect(await ask(port, '/jobs', new Agent())).toBe('/jobs 200');
  await vi.waitFor(isAnswered, { timeout: 20_000 });
  expect(server.stderr()).toBe('');
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

/** This time is longer than the time between two checks whether npm still runs. */
const LOOKS_MS = 700;

test('a server that can open no more files answers busy, and works again once it can open files', {
  tags: ['prlimit'],
}, async () => {
  const { server, port } = await serverWith(1_000);
  const limit = (files: number) =>
    execFileSync(programFile('prlimit'), ['--pid', String(server.child.pid), `--nofile=${files}:`]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await ask(port, '/healthz', agent)).toBe('/healthz 200');

  limit(3);
  const first = await askAll(port, agent);
  expect(
    first.filter((each) => !/ (200|404|503 (busy|database-unreachable))( |$)/.test(each)),
  ).toEqual([]);
  for (const path of ['/jobs', '/claim-job?jobId=1&recruiterId=1'])
    expect(first).toContain(`${path} 503 busy`);
  // The server read the pages before it listened.
  for (const path of ['/', '/lab', '/docs/start.js', '/lab/strategies/naive'])
    expect(first).toContain(`${path} 200`);
  const late = ask(port, '/healthz', new Agent());
  for (const until = performance.now() + LOOKS_MS; performance.now() < until; )
    expect(await ask(port, '/jobs', agent)).toBe('/jobs 503 busy');

  limit(1_000);
  expect(await late).toBe('/healthz 200');
  // The server may need a moment to connect again.
  const allWorks = async () => expect(failures(await askAll(port, agent))).toEqual([]);
  await vi.waitFor(allWorks, { timeout: 20_000 });
  expect(server.stderr()).not.toMatch(/request failed/);
  expect(server.child.exitCode).toBe(null);
});
