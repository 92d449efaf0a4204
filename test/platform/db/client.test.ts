import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { eq, sql } from 'drizzle-orm';
import postgres from 'postgres';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  commitWithNext,
  connect,
  type DatabaseConnection,
  type Transaction,
} from '../../../src/platform/db/client.ts';
import { BEGIN } from '../../../src/platform/db/parameters.ts';
import { openSession } from '../../../src/platform/db/session.ts';
import { databaseError, NOTHING_RAN } from '../../../src/platform/db/sqlstate.ts';
import { companies } from '../../../src/service/database/schema.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

let url: string;
let connection: DatabaseConnection;
let admin: postgres.Sql;

beforeAll(async () => {
  url = await makeDatabase();
  connection = connect(url, { connections: 1 });
  admin = postgres(url, { max: 1, onnotice: () => undefined });
  atEnd(() => Promise.all([connection.close(), admin.end()]));
});

const pidOf = async (db: Pick<DatabaseConnection['db'], 'execute'>) => {
  const [row] = await db.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
  return row?.pid ?? 0;
};
const terminate = async (pid: number) => {
  await admin`SELECT pg_terminate_backend(${pid}, 5000)`;
};
const named = (name: string, db = connection.db) => db.$count(companies, eq(companies.name, name));
const nothingRan = { cause: { code: NOTHING_RAN } };

describe('when the server ends the connection of a transaction', () => {
  test('PostgreSQL commits no statement of the transaction, neither before nor after the end', async () => {
    const running = connection.db.transaction(async (tx) => {
      await tx.insert(companies).values({ name: 'before' });
      await terminate(await pidOf(tx));
      await tx.insert(companies).values({ name: 'after' });
    });
    // The first transaction uses the only connection, so this transaction needs a new one.
    const next = connection.db.transaction((tx) => tx.insert(companies).values({ name: 'next' }));
    await expect(running).rejects.toMatchObject(nothingRan);
    await next;
    expect([await named('before'), await named('after'), await named('next')]).toEqual([0, 0, 1]);
  });

  test('each further statement of the transaction is refused', async () => {
    const codes: unknown[] = [];
    const running = connection.db.transaction(async (tx) => {
      await terminate(await pidOf(tx));
      for (let n = 0; n < 3; n++)
        await tx
          .insert(companies)
          .values({ name: 'ghost' })
          .catch((error: unknown) => codes.push(databaseError(error)?.code));
    });
    await expect(running).rejects.toThrow();
    expect(codes).toHaveLength(3);
    expect(await named('ghost')).toBe(0);
  });

  test('the next transaction begins on a new connection, even before the end of the old connection is known', async () => {
    for (let n = 0; n < 10; n++) {
      await terminate(await pidOf(connection.db));
      await connection.db.transaction((tx) => tx.insert(companies).values({ name: `again ${n}` }));
      expect(await named(`again ${n}`)).toBe(1);
    }
  });

  test('a single statement soon works on a new connection', async () => {
    await terminate(await pidOf(connection.db));
    await vi.waitFor(async () => expect(await named('before')).toBe(0), { timeout: 20_000 });
  });
});

describe('a transaction that is silent for too long', () => {
  /** Runs `work` in a transaction whose session the database has already ended for its silence. */
  async function frozen(work: (tx: Transaction) => Promise<unknown>) {
    return connection.db.transaction(async (tx) => {
      const pid = await pidOf(tx);
      await tx.insert(companies).values({ name: 'frozen' });
      await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = 1`);
      await vi.waitFor(
        async () =>
          expect(await admin`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`).toHaveLength(0),
        { timeout: 20_000 },
      );
      await work(tx);
    });
  }

  test('is ended by the server, and its later statements do not run', async () => {
    const running = frozen((tx) => tx.insert(companies).values({ name: 'thawed' }));
    // The first transaction uses the only connection, so this transaction needs a new one.
    const next = connection.db.transaction((tx) => tx.insert(companies).values({ name: 'behind' }));
    await expect(running).rejects.toMatchObject(nothingRan);
    await next;
    expect([await named('frozen'), await named('thawed'), await named('behind')]).toEqual([
      0, 0, 1,
    ]);
  });

  test('is ended after ten seconds, and keepalives detect a lost machine', async () => {
    const settings = await connection.db.execute(sql`
      SELECT name, setting::int AS value FROM pg_settings
      WHERE name IN ('idle_in_transaction_session_timeout', 'tcp_keepalives_idle',
        'tcp_keepalives_interval', 'tcp_keepalives_count') ORDER BY name`);
    expect(Object.fromEntries(settings.map(({ name, value }) => [name, value]))).toEqual({
      idle_in_transaction_session_timeout: 10_000,
      tcp_keepalives_count: 3,
      tcp_keepalives_idle: 10,
      tcp_keepalives_interval: 5,
    });
  });
});

describe('a transaction', () => {
  test('that swallows the error of a statement is not reported as committed', async () => {
    const running = connection.db.transaction(async (tx) => {
      await tx.insert(companies).values({ name: 'swallowed' });
      await tx.execute(sql`SELECT 1 / 0`).catch(() => undefined);
    });
    await expect(running).rejects.toThrow('rolled back');
    expect(await named('swallowed')).toBe(0);
  });

  test('refuses a statement that comes after its end', async () => {
    let late: PromiseLike<unknown> | undefined;
    await connection.db.transaction(async (tx) => {
      late = tx.insert(companies).values({ name: 'late' });
    });
    await expect(late).rejects.toThrow();
    expect(await named('late')).toBe(0);
  });

  test('keeps the changes before a savepoint that is rolled back', async () => {
    await connection.db.transaction(async (tx) => {
      await tx.insert(companies).values({ name: 'outer' });
      const inner = tx.transaction(async (nested) => {
        await nested.insert(companies).values({ name: 'inner' });
        nested.rollback();
      });
      await expect(inner).rejects.toThrow();
    });
    expect([await named('outer'), await named('inner')]).toEqual([1, 0]);
  });

  test('has the isolation level that it asks for', async () => {
    const level = await connection.db.transaction(
      async (tx) => (await tx.execute(sql`SHOW transaction_isolation`))[0],
      { isolationLevel: 'serializable' },
    );
    expect(level).toEqual({ transaction_isolation: 'serializable' });
  });
});

describe('a COMMIT that is sent with the last statement', () => {
  const insert = (name: string | null) =>
    connection.db.transaction(async (tx) => {
      commitWithNext(tx);
      await tx.execute(sql`INSERT INTO companies (name) VALUES (${name})`);
    });

  test('commits the statement', async () => {
    await insert('with its commit');
    expect(await named('with its commit')).toBe(1);
  });

  test('commits nothing if the statement fails, and the session stays usable', async () => {
    await expect(insert(null)).rejects.toMatchObject({ cause: { code: '23502' } });
    await insert('after the failure');
    expect(await named('after the failure')).toBe(1);
  });

  test('is a rollback if an earlier statement has failed', async () => {
    const running = connection.db.transaction(async (tx) => {
      await tx.insert(companies).values({ name: 'failed before' });
      await tx.execute(sql`SELECT 1 / 0`).catch(() => undefined);
      commitWithNext(tx);
      await tx.execute(sql`SELECT 1`).catch(() => undefined);
    });
    await expect(running).rejects.toThrow('rolled back');
    expect(await named('failed before')).toBe(0);
  });

  test('can travel with the last of two statements that are sent together', async () => {
    const insertBoth = (first: string | null, second: string | null) =>
      connection.db.transaction(async (tx) => {
        commitWithNext(tx, 2);
        const insertOne = (name: string | null) =>
          tx.execute(sql`INSERT INTO companies (name) VALUES (${name})`);
        await Promise.all([insertOne(first), insertOne(second)]);
      });
    await insertBoth('the first', 'the second');
    expect([await named('the first'), await named('the second')]).toEqual([1, 1]);
    const isRefused = { cause: { code: '23502' } };
    await expect(insertBoth('before null', null)).rejects.toMatchObject(isRefused);
    await expect(insertBoth(null, 'after null')).rejects.toMatchObject(isRefused);
    expect([await named('before null'), await named('after null')]).toEqual([0, 0]);
  });

  test('lets no further statement run', async () => {
    const running = connection.db.transaction(async (tx) => {
      commitWithNext(tx);
      await tx.insert(companies).values({ name: 'the last' });
      await tx.insert(companies).values({ name: 'one too many' });
    });
    await expect(running).rejects.toMatchObject({
      cause: { message: 'a statement came after the end of its transaction' },
    });
    expect([await named('the last'), await named('one too many')]).toEqual([1, 0]);
  });

  test('does not end a transaction from inside of a savepoint', async () => {
    const running = connection.db.transaction(async (tx) => {
      await tx.transaction(async (nested) => {
        commitWithNext(nested);
        await nested.insert(companies).values({ name: 'nested' });
      });
      throw new Error('no');
    });
    await expect(running).rejects.toThrow('no');
    expect(await named('nested')).toBe(0);
  });
});

describe('closing', () => {
  test('lets an open transaction end, and begins no new one', async () => {
    const { db, close } = connect(url, { connections: 1 });
    let waiting: Promise<unknown> | undefined;
    let closing: Promise<void> | undefined;
    await db.transaction(async (tx) => {
      waiting = expect(named('in line', db)).rejects.toMatchObject(nothingRan);
      closing = close();
      await tx.insert(companies).values({ name: 'last' });
    });
    await closing;
    await waiting;
    await expect(named('late', db)).rejects.toMatchObject(nothingRan);
    expect(await named('last')).toBe(1);
  });
});

test('a server that closes each connection causes an immediate error', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { db, close } = connect(`postgres://me:pw@127.0.0.1:${port}/none`);
  await expect(named('any', db)).rejects.toMatchObject(nothingRan);
  expect(connections).toBe(1);
  await expect(db.transaction((tx) => tx.execute(sql`SELECT 1`))).rejects.toMatchObject({
    code: NOTHING_RAN,
  });
  await close();
});

test('an unreachable server causes an immediate error, in a transaction too', async () => {
  // This timeout is so long that the test would fail if the error came only after the timeout.
  const { db, close } = connect('postgres://me:pw@127.0.0.1:1/none', { answerTimeoutMs: 600_000 });
  onTestFinished(close);
  const running = db.transaction((tx) => tx.select().from(companies));
  await expect(running).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

/**
 * Opens a database with one connection. The connection sends invalid SQL in place of `command`, so
 * the command fails.
 */
function refusing(command: string) {
  const { db, close } = connect(url, {
    connections: 1,
    open: (settings, codecs) => {
      const session = openSession(settings, codecs);
      const run: typeof session.run = (statement) =>
        session.run(statement.text === command ? { ...statement, text: 'no' } : statement);
      return { ...session, run };
    },
  });
  onTestFinished(close);
  return db;
}

test('if BEGIN is refused, nothing is written, although a read was sent with BEGIN', async () => {
  const running = refusing(BEGIN).transaction(async (tx) => {
    await tx.select().from(companies).limit(1).for('update');
    await tx.insert(companies).values({ name: 'outside' });
  });
  await expect(running).rejects.toMatchObject({ code: '42601' });
  expect(await named('outside')).toBe(0);
});

test('a session whose BEGIN is refused is not used again', async () => {
  const begins: string[] = [];
  const { db, close } = connect(url, {
    connections: 1,
    pooler: 'transaction',
    open: (settings, codecs) => {
      const session = openSession(settings, codecs);
      const run: typeof session.run = (statement) => {
        const isFirst = statement.text.startsWith(BEGIN) && begins.push(statement.text) === 1;
        const half = { ...statement, text: `${BEGIN}; set local lock_timeout = 'no'` };
        return session.run(isFirst ? half : statement);
      };
      return { ...session, run };
    },
  });
  onTestFinished(close);
  const insert = () => db.transaction((tx) => tx.insert(companies).values({ name: 'half begun' }));
  await expect(insert()).rejects.toMatchObject({ code: '22023' });
  await insert();
  expect([await named('half begun'), begins.length]).toEqual([1, 2]);
});

test('a session that fails to roll back is not used again', async () => {
  const db = refusing('rollback');
  const running = db.transaction((tx) => tx.execute(sql`SELECT 1 / 0`));
  await expect(running).rejects.toMatchObject({ cause: { code: '22012' } });
  await db.transaction((tx) => tx.insert(companies).values({ name: 'in a new one' }));
  expect(await named('in a new one')).toBe(1);
});

/** Starts a relay to the database. The relay ends the connection before answer number `n`. */
async function endingAtAnswer(n: number): Promise<string> {
  const real = new URL(url);
  const server = createServer((socket) => {
    const behind = createConnection({ host: real.hostname, port: Number(real.port) });
    let answers = 0;
    behind.on('data', (data) => (++answers < n ? socket.write(data) : socket.destroy()));
    socket.on('data', (data) => behind.write(data));
    socket.on('close', () => behind.destroy());
    for (const each of [socket, behind]) each.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const front = new URL(url);
  front.port = String((server.address() as AddressInfo).port);
  return front.href;
}

test.each([1, 2, 3, 4, 5, 6])(
  'if a connection ends at answer %i, its statement fails, and no rejection is unhandled',
  async (n) => {
    const unheard = vi.fn();
    process.on('unhandledRejection', unheard);
    onTestFinished(() => void process.off('unhandledRejection', unheard));
    const { db, close } = connect(await endingAtAnswer(n), { connections: 1 });
    // The database sends three answers for the handshake, one for the settings, one for the
    // description of the statement, and one for its result.
    await expect(named('any', db)).rejects.toMatchObject(nothingRan);
    await close();
    expect(unheard).not.toHaveBeenCalled();
  },
);

test('a time is read as the instant that was written', async () => {
  const [company] = await connection.db.select().from(companies).limit(1);
  const [row] = await admin`SELECT created_at FROM companies WHERE id = ${String(company?.id)}`;
  expect(company?.createdAt).toEqual(row?.created_at);
});
