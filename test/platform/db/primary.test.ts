import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { sql } from 'drizzle-orm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { choose } from '../../src/db/ask-hosts.ts';
import { connect } from '../../src/db/client.ts';
import { changed } from '../../src/db/hosts.ts';
import { untilPrimary } from '../../src/db/start.ts';
import { openRelay } from '../../src/faults/relay.ts';
import { atEnd } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';

const DEAD = '127.0.0.1:1';

/** A host that accepts connections and never says anything, like a frozen machine. */
async function silentHost(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const withHosts = (url: string, before: string[], after: string[] = []) => {
  const { host } = new URL(url);
  return url.replace(host, [...before, host, ...after].join(','));
};

const pidOf = async ({ db }: Pick<ReturnType<typeof connect>, 'db'>) => {
  const [row] = await db.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
  return row?.pid;
};

test('the primary is found behind a dead host and a silent host', async () => {
  const url = withHosts(await makeDatabase(), [DEAD, await silentHost()], [DEAD]);
  const connection = connect(url, { connections: 2 });
  onTestFinished(connection.close);
  expect(await pidOf(connection)).toBeGreaterThan(0);
});

test('a host that freezes is left, although its connections stay open', async () => {
  const direct = await makeDatabase();
  const [first, second] = [await openRelay(direct), await openRelay(direct)];
  atEnd(() => {
    for (const relay of [first, second]) relay.cut();
  });
  second.hang(true);
  const hosts = `${new URL(first.url).host},${new URL(second.url).host}`;
  const connection = connect(direct.replace(new URL(direct).host, hosts), { connections: 2 });
  onTestFinished(connection.close);
  const pid = await pidOf(connection);
  first.freeze(true);
  second.hang(false);
  const asked = pidOf(connection);
  await expect(asked).rejects.toMatchObject({ cause: { code: 'NOTHING_RAN' } });
  await vi.waitFor(async () => expect(await pidOf(connection)).not.toBe(pid), 20_000);
});

test('without a primary the error names each host', async () => {
  const wait = { stop: new AbortController().signal, say: () => undefined, patienceMs: 0 };
  const url = `postgres://me:hunter2@${DEAD},${DEAD}/jobs`;
  await expect(untilPrimary(url, wait)).rejects.toThrow(
    /^Cannot use PostgreSQL at 127\.0\.0\.1:1,127\.0\.0\.1:1\/jobs: none .+1 fails with ECONNREFUSED/,
  );
});

test('a wrong account is told at once as such', async () => {
  const url = changed(await makeDatabase(), (each) => {
    each.pathname = 'no_such_database';
  });
  const { host } = new URL(url);
  const connection = connect(url.replace(host, `${host},${host}`));
  onTestFinished(connection.close);
  const error = { cause: { code: 'NOTHING_RAN', cause: { code: '3D000' } } };
  await expect(pidOf(connection)).rejects.toMatchObject(error);
});

test('a start waits until there is a primary, and says this once', async () => {
  const relay = await openRelay(await makeDatabase());
  atEnd(() => relay.cut());
  relay.cut();
  const say = vi.fn();
  const waiting = untilPrimary(relay.url, { stop: new AbortController().signal, say });
  await vi.waitFor(() => expect(say).toHaveBeenCalled());
  await relay.mend();
  await waiting;
  expect(say.mock.calls).toEqual([[expect.stringMatching(/^Waiting up to 60 s for a primary\./)]]);
});

test('a wait for a primary has an end', async () => {
  const wait = { stop: new AbortController().signal, say: () => undefined, patienceMs: 300 };
  await expect(untilPrimary(`postgres://me@${DEAD}/jobs`, wait)).rejects.toThrow(
    /^Cannot use Post/,
  );
});

test('a stop ends the wait for a primary', async () => {
  const stop = new AbortController();
  const say = () => stop.abort('stopped');
  const waiting = untilPrimary(`postgres://me@${DEAD}/jobs`, { stop: stop.signal, say });
  await expect(waiting).rejects.toBe('stopped');
});

test('an error that does not pass is left to the next user of the database', async () => {
  const url = changed(await makeDatabase(), (each) => {
    each.pathname = 'no_such_database';
  });
  const say = vi.fn();
  await untilPrimary(url, { stop: new AbortController().signal, say });
  expect(say).not.toHaveBeenCalled();
});

describe('of several hosts that tell that they are the primary', () => {
  const hosts = ['h1', 'h2', 'h3'];
  const told = (...timelines: (string | null)[]) =>
    timelines.map((timeline, at) => ({ host: `h${at + 1}`, timeline }));
  const known = (primary: string | undefined, timeline = '') => ({ hosts, primary, timeline });

  test('the newest timeline is chosen', () => {
    const answers = told('00000009', '0000000A', null);
    expect(choose(answers, known('h1', '00000009'))?.host).toBe('h2');
  });

  test('a former primary is never chosen, although nobody else answers', () => {
    expect(choose(told('00000001', null), known('h2', '00000002'))).toBeUndefined();
  });

  test('with one timeline the present primary is kept, whoever answers first', () => {
    const answers = told('00000001', '00000001', '00000001').toReversed();
    expect(choose(answers, known('h2', '00000001'))?.host).toBe('h2');
    expect(choose(answers, known(undefined))?.host).toBe('h1');
  });

  test('a standby is never chosen', () => {
    expect(choose(told(null, null), known(undefined))).toBeUndefined();
  });
});
