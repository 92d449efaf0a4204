import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { sql } from 'drizzle-orm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openRelay } from '../../../proof/faults/relay.ts';
import { choose } from '../../../src/platform/db/ask-hosts.ts';
import { connect } from '../../../src/platform/db/client.ts';
import { changed } from '../../../src/platform/db/hosts.ts';
import { primaryAmong } from '../../../src/platform/db/primary.ts';
import { untilPrimary } from '../../../src/service/database/start.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

const DEAD = '127.0.0.1:1';

/** Starts a host that accepts connections and never answers, like a frozen machine. */
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

test('the primary is found although other hosts are dead or silent', async () => {
  const url = withHosts(await makeDatabase(), [DEAD, await silentHost()], [DEAD]);
  const connection = connect(url, { connections: 2 });
  onTestFinished(connection.close);
  expect(await pidOf(connection)).toBeGreaterThan(0);
});

test('the service leaves a frozen host for the new primary, although its connections stay open', async () => {
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

test('if all hosts refuse the connection, the error has the code of the refusal', async () => {
  const url = changed(await makeDatabase(), (each) => {
    each.pathname = 'no_such_database';
  });
  const { host } = new URL(url);
  // A pool might end the wait for a session first, because the search lasts a second.
  const hosts = primaryAmong(url.replace(host, `${host},${host}`));
  await expect(hosts.dial()).rejects.toMatchObject({ code: '3D000' });
});

test('a start waits until there is a primary, and prints one message about the wait', async () => {
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

test('a start waits for a primary only for a limited time', async () => {
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

test('a start does not wait for a primary after a permanent error', async () => {
  const url = changed(await makeDatabase(), (each) => {
    each.pathname = 'no_such_database';
  });
  const say = vi.fn();
  await untilPrimary(url, { stop: new AbortController().signal, say });
  expect(say).not.toHaveBeenCalled();
});

describe('among several hosts that claim to be the primary', () => {
  const hosts = ['h1', 'h2', 'h3'];
  const told = (...timelines: (string | null)[]) =>
    timelines.map((timeline, at) => ({ host: `h${at + 1}`, timeline }));
  const known = (primary: string | undefined, timeline = '') => ({ hosts, primary, timeline });

  test('the newest timeline is chosen', () => {
    const answers = told('00000009', '0000000A', null);
    expect(choose(answers, known('h1', '00000009'))?.host).toBe('h2');
  });

  test('a former primary is never chosen, even if no other host answers', () => {
    expect(choose(told('00000001', null), known('h2', '00000002'))).toBeUndefined();
  });

  test('if the timelines are equal, the present primary is kept, even if another host answers first', () => {
    const answers = told('00000001', '00000001', '00000001').toReversed();
    expect(choose(answers, known('h2', '00000001'))?.host).toBe('h2');
    expect(choose(answers, known(undefined))?.host).toBe('h1');
  });

  test('a standby is never chosen', () => {
    expect(choose(told(null, null), known(undefined))).toBeUndefined();
  });
});
