import { eq, sql } from 'drizzle-orm';
import postgres from 'postgres';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { jobs } from '../../../src/service/database/schema.ts';
import { makeApp, makeService } from '../../support/app.ts';
import { makeDatabase } from '../../support/database.ts';
import { follow } from '../../support/events.ts';
import { expectEndOfStreams } from '../../support/server.ts';
import { killSessions, onScratch } from '../../support/sessions.ts';
import { makeWay } from '../../support/way.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;

beforeAll(async () => {
  made = await makeApp();
});

const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 30_000 });
const open = (query = '', { app } = made) =>
  follow((init) => app.request(`/jobs/events${query}`, init));

// The database server crashes in two slow files: test/slow/service/live/faults.test.ts (with
// followers) and test/slow/service/outbox/news.test.ts (with one reader).
describe('after the connections to the database are lost', () => {
  test('followers get the changes that happened during the outage, and then each later change', async () => {
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
    // The sessions do not end at the same moment, so a read may fail and the next read may succeed.
    // A later failure then counts as a new outage, and the log has several lines.
    const line = { event: 'changed jobs could not be read', error: expect.any(String) };
    expect(lonely.events).toEqual(lonely.events.map(() => line));
    expect(JSON.stringify(lonely.events)).not.toMatch(/select|pg_snapshot|password/i);
  });
});

describe('changed jobs', () => {
  test('are read again later if reading them fails', async () => {
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

  test('make the service send the full state again if too many jobs have changed', async () => {
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
  test('makes the service answer `busy` to a new follower instead of starting a stream', async () => {
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

  test('does not end a stream, and followers get the missed changes when the database is back', async () => {
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

  test('that stops answering without closing its connections is noticed, and followers get the changes later', async () => {
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

// test/slow/service/live/faults.test.ts stops a server by SIGTERM.
test('a stopping service ends its streams after a complete event while a claim still runs', async () => {
  const { url, stop } = await makeService(made.databaseUrl, { lab: false });
  const { stopped } = await expectEndOfStreams(made.databaseUrl, url, () => ({ stopped: stop() }));
  await stopped;
});
