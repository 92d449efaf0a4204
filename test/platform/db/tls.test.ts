import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openRelay } from '../../../proof/faults/relay.ts';
import { connect } from '../../../src/platform/db/client.ts';
import { openSession } from '../../../src/platform/db/session.ts';
import { isNothingDone } from '../../../src/platform/db/sqlstate.ts';
import { tellingOperator } from '../../../src/platform/db/telling.ts';
import { collectLog } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { type Certificate, makeCertificate, startTlsFront } from '../../support/tls.ts';

/** An address where nobody answers. */
const DEAD = '127.0.0.1:1';

/** A busy machine needs long to open and close connections. */
const SOON = { timeout: 20_000 };

/** Returns the code of the error, or "ok". */
async function outcome(url: string): Promise<string> {
  const connection = connect(url, { connections: 1 });
  onTestFinished(connection.close);
  try {
    await connection.db.execute(sql`SELECT 1`);
    return 'ok';
  } catch (error) {
    let reason = error as { code?: string; cause?: unknown };
    while (reason.cause !== undefined) reason = reason.cause as typeof reason;
    return reason.code ?? String(error);
  }
}

describe('a server without TLS', () => {
  test.each([
    ['', 'ok'],
    ['?sslmode=disable', 'ok'],
    ['?sslmode=prefer', 'ok'],
    ['?sslmode=require', 'NO_TLS'],
    ['?sslmode=verify-full', 'NO_TLS'],
    ['?ssl=true', 'NO_TLS'],
  ])('with %j: %s', async (query, expected) => {
    expect(await outcome(`${await makeDatabase()}${query}`)).toBe(expected);
  });
});

test('the client disconnects from a server that sends too many bytes before TLS', async () => {
  const server = createServer((socket) =>
    socket.on('error', () => undefined).once('data', () => socket.write('SE')),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  expect(await outcome(`postgres://me@127.0.0.1:${port}/jobs?sslmode=require`)).toBe('NO_TLS');
});

describe('a server with TLS', { tags: ['openssl'] }, () => {
  let direct: string;
  let right: Certificate;
  let otherName: Certificate;
  let url: string;
  let open: Set<unknown>;
  beforeAll(async () => {
    direct = await makeDatabase();
    right = makeCertificate('IP:127.0.0.1');
    otherName = makeCertificate('DNS:localhost');
    ({ url, open } = await startTlsFront(direct, right));
  });

  test.each([
    ['require', 'ok'],
    ['verify-full', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['verify-ca', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('with sslmode=%s and an unknown authority: %s', async (mode, expected) => {
    expect(await outcome(`${url}?sslmode=${mode}`)).toBe(expected);
  });

  test.each(['sslmode=verify-full&', 'sslmode=require&', ''])(
    'is checked against the certificate in sslrootcert, with %j',
    async (mode) => {
      expect(await outcome(`${url}?${mode}sslrootcert=${right.file}`)).toBe('ok');
      const wrong = `${url}?${mode}sslrootcert=${otherName.file}`;
      expect(await outcome(wrong)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    },
  );

  test('with a certificate for another name is refused only by verify-full', async () => {
    const front = await startTlsFront(direct, otherName);
    const root = `sslrootcert=${otherName.file}`;
    expect(await outcome(`${front.url}?sslmode=verify-ca&${root}`)).toBe('ok');
    const full = `${front.url}?sslmode=verify-full&${root}`;
    expect(await outcome(full)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  // A certificate may expire while the service runs.
  test('gets no work if it is not trusted, and the log has the reason once', async () => {
    const { log, events } = collectLog();
    const open = tellingOperator(log, 'the database');
    const { db, close } = connect(`${url}?sslmode=verify-full`, { open });
    onTestFinished(close);
    for (let times = 0; times < 2; times++)
      expect(await db.execute(sql`SELECT 1`).catch(isNothingDone)).toBe(true);
    const reason = expect.stringContaining('Add sslrootcert=FILE to DATABASE_URL');
    expect(events).toMatchObject([{ event: 'the database refuses connections', reason }]);
  });

  test('keeps no connection of a session that was closed during its handshake', async () => {
    await vi.waitFor(() => expect(open.size).toBe(0), SOON);
    const relay = await openRelay(url);
    atEnd(() => relay.cut());
    relay.delay(true);
    const settings = { url: `${relay.url}?sslmode=require` };
    const session = openSession(settings, { parsers: {}, serializers: {} });
    const asked = session.run({ text: 'select 1', params: [], asArrays: true });
    asked.catch(() => undefined);
    await vi.waitFor(() => expect(open.size).toBe(1), SOON);
    await session.close(0);
    await expect(asked).rejects.toMatchObject({ code: 'CONNECTION_DESTROYED' });
    relay.delay(false);
    await vi.waitFor(() => expect(open.size).toBe(0), SOON);
  });

  test('is found among several hosts', async () => {
    const several = url.replace('@', `@${DEAD},`);
    const root = `sslmode=verify-full&sslrootcert=${right.file}`;
    expect(await outcome(`${several}?${root}`)).toBe('ok');
  });

  test('that freezes is disconnected, and no connection stays open', async () => {
    await vi.waitFor(() => expect(open.size).toBe(0), SOON);
    const relay = await openRelay(url);
    atEnd(() => relay.cut());
    const settings = { url: `${relay.url}?sslmode=require`, answerTimeoutMs: 300 };
    const session = openSession(settings, { parsers: {}, serializers: {} });
    const ask = () => session.run({ text: 'select 1', params: [], asArrays: true });
    await ask();
    expect(open.size).toBe(1);
    relay.freeze(true);
    await expect(ask()).rejects.toMatchObject({ code: 'NO_ANSWER' });
    await vi.waitFor(() => expect(open.size).toBe(0), SOON);
  });
});
