import { eq, sql } from 'drizzle-orm';
import postgres from 'postgres';
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { jobs } from '../../src/db/schema.ts';
import { makeApp } from '../support/app.ts';
import { runServer } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { follow } from '../support/events.ts';
import { makeWay } from '../support/way.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;

beforeAll(async () => {
  made = await makeApp();
});

const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 30_000 });
const open = (query = '', { app } = made) =>
  follow((init) => app.request(`/jobs/events${query}`, init));

/** Kills all sessions of the app. The app opens new ones. */
const killSessions = (databaseUrl: string) =>
  onScratch(
    (sql) => sql`
      SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE datname = ${new URL(databaseUrl).pathname.slice(1)} AND application_name = 'rowlock'`,
  );

async function onScratch(work: (sql: postgres.Sql) => PromiseLike<unknown>) {
  const sql = postgres(inject('scratchUrl'), { max: 1 });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

// test/slow/live/faults.test.ts crashes the server. test/outbox/news.test.ts does so to one reader.
describe('after the connections to the database are lost', () => {
  test('the changes in between are told, and then each change', async () => {
    const lonely = await makeApp();
    const { databaseUrl, db } = lonely;
    const direct = postgres(databaseUrl, { max: 1 });
    onTestFinished(() => direct.end());
    await direct`SELECT 1`;
    const following = await open('?jobId=1', lonely);
    await following.isComplete();
    // From now until the end of the change, the app cannot connect to this database.
    const name = new URL(databaseUrl).pathname.slice(1);
    await onScratch((sql) => sql`ALTER DATABASE ${sql(name)} ALLOW_CONNECTIONS false`);
    await killSessions(databaseUrl);
    await direct`UPDATE jobs SET role = 'Changed unheard' WHERE id = 1`;
    await soon(() => expect(lonely.events).not.toEqual([]));
    await onScratch((sql) => sql`ALTER DATABASE ${sql(name)} ALLOW_CONNECTIONS true`);
    await soon(() => expect(following.latest().get(1)?.data.role).toBe('Changed unheard'));
    await db.update(jobs).set({ role: 'Heard' }).where(eq(jobs.id, 1n));
    await soon(() => expect(following.latest().get(1)?.data.role).toBe('Heard'));
    // The full state does not come again, because no change was missed.
    expect(following.events.filter(({ name }) => name === 'begin')).toHaveLength(1);
    // Between the ends of two sessions, a read may fail and the next read succeed. This is an outage
    // of its own. So there may be several lines.
    const line = { event: 'changed jobs could not be read', error: expect.any(String) };
    expect(lonely.events).toEqual(lonely.events.map(() => line));
    expect(JSON.stringify(lonely.events)).not.toMatch(/select|pg_snapshot|password/i);
  });

  test('again and again, the last state is still told', async () => {
    const lonely = await makeApp();
    const following = await open('?jobId=2', lonely);
    await following.isComplete();
    const direct = postgres(lonely.databaseUrl, { max: 1 });
    onTestFinished(() => direct.end());
    for (let n = 1; n <= 5; n++) {
      await killSessions(lonely.databaseUrl);
      await direct`UPDATE jobs SET role = ${`Role ${n}`} WHERE id = 2`;
      await soon(() => expect(following.latest().get(2)?.data.role).toBe(`Role ${n}`));
    }
  });
});

describe('changed jobs', () => {
  test('are read later if they cannot be read now', async () => {
    const impatient = await makeApp({ url: made.databaseUrl, lockTimeoutMs: 20 });
    const following = await open('?jobId=3', impatient);
    await following.isComplete();
    await made.db.transaction(async (tx) => {
      // With this lock, a claim still works, but reading a job for the followers fails.
      await tx.execute(sql`LOCK TABLE companies IN ACCESS EXCLUSIVE MODE`);
      expect((await made.claim(3, 1)).status).toBe(200);
      const failed = { event: 'changed jobs could not be read', error: expect.any(String) };
      await soon(() => expect(impatient.events).toContainEqual(failed));
    });
    await soon(() => expect(following.latest().get(3)?.data.claimed).toBe(1));
    expect(following.events.filter(({ name }) => name === 'begin')).toHaveLength(1);
  });

  test('are told by the full state if they are too many to keep', async () => {
    const forgetful = await makeApp({ url: made.databaseUrl, feedLimits: { changed: 3 } });
    const following = await open('', forgetful);
    await following.isComplete();
    await made.db.update(jobs).set({ role: 'All the same' });
    await following.isComplete(2);
    const roles = [...following.latest().values()].map(({ data }) => data.role);
    expect(new Set(roles)).toEqual(new Set(['All the same']));
  });
});

describe('an unreachable database', () => {
  test('is answered as a problem before the stream begins', async () => {
    const way = await makeWay(await makeDatabase());
    const cutOff = await makeApp({ url: way.url });
    way.cut();
    const response = await cutOff.app.request('/jobs/events');
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ code: 'busy' });
    expect(cutOff.feed.load().followers).toBe(0);
    await way.mend();
    await soon(async () => expect((await open('', cutOff)).response.status).toBe(200));
  });

  test('does not end a stream, and its return brings the missed changes', async () => {
    const databaseUrl = await makeDatabase();
    const way = await makeWay(databaseUrl);
    const direct = await makeApp({ url: databaseUrl });
    const indirect = await makeApp({ url: way.url, feedLimits: { heartbeatMs: 5 } });
    const following = await open('', indirect);
    await following.isComplete();
    way.cut();
    await direct.claim(1, 1);
    const before = following.text().length;
    await soon(() => expect(indirect.events).toHaveLength(1));
    await soon(() => expect(following.text().slice(before)).toContain(':\n\n'));
    await way.mend();
    await soon(() => expect(following.latest().get(1)?.data.claimed).toBe(1));
    await direct.claim(1, 2);
    await soon(() => expect(following.latest().get(1)?.data.claimed).toBe(2));
  });

  test('is noticed if it is silent, and its changes are told later', async () => {
    const databaseUrl = await makeDatabase();
    const way = await makeWay(databaseUrl);
    const direct = await makeApp({ url: databaseUrl });
    const indirect = await makeApp({ url: way.url, answerTimeoutMs: 300 });
    const following = await open('?jobId=1', indirect);
    await following.isComplete();
    way.freeze(true);
    expect((await direct.claim(1, 1)).status).toBe(200);
    await soon(() => expect(indirect.events).not.toEqual([]));
    way.freeze(false);
    await soon(() => expect(following.latest().get(1)?.data.claimed).toBe(1));
  });
});

describe('a server that is told to stop', () => {
  async function startServer() {
    const server = runServer({ DATABASE_URL: made.databaseUrl });
    const [, url = ''] = await server.says(/listens on (\S+)/);
    return { server, url };
  }

  test('ends its streams at the end of an event while a claim still runs, and then ends itself', async () => {
    const { server, url } = await startServer();
    const following = await follow((init) => fetch(`${url}/jobs/events`, init));
    await following.isComplete();
    const first = await made.db.transaction(async (tx) => {
      await tx.select().from(jobs).where(eq(jobs.id, 5n)).for('update');
      const claimed = fetch(`${url}/claim-job?jobId=5&recruiterId=1`).then(() => 'the claim');
      await soon(async () => expect(await waitingForLock()).toBe(1));
      server.child.kill('SIGTERM');
      return Promise.race([claimed, following.ended.then(() => 'the stream')]);
    });
    expect(first).toBe('the stream');
    expect(await following.ended).toMatch(/event: end\ndata: \{\}\n\n(:\n\n)*$/);
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.stderr()).not.toContain('"level":"error"');
  });
});

async function waitingForLock(): Promise<number> {
  const waiting = await made.db.execute(sql`
    SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`);
  return waiting.length;
}
