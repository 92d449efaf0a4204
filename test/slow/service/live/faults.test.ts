import postgres from 'postgres';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startEmbedded } from '../../../../src/platform/postgres/embedded.ts';
import { prepareDatabase } from '../../../../src/service/database/migrate.ts';
import { makeApp } from '../../../support/app.ts';
import { atEnd, runServer } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';
import { follow } from '../../../support/events.ts';
import { expectEndOfStreams, urlOf } from '../../../support/server.ts';
import { killSessions } from '../../../support/sessions.ts';

const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 30_000 });

describe('after the connections to the database are lost', () => {
  test('and the server has started anew, the full state comes again', async () => {
    const server = await startEmbedded();
    atEnd(() => server.stop());
    await prepareDatabase(server.url, { demoData: true });
    const { app, claim } = await makeApp({ url: server.url });
    const following = await follow((init) => app.request('/jobs/events?jobId=1', init));
    await following.isComplete();
    const direct = postgres(server.url, { max: 1 });
    const [{ pid } = {}] = await direct`SELECT pg_backend_pid() AS pid`;
    // After the crash of one process, PostgreSQL ends and starts all of them.
    process.kill(pid, 'SIGKILL');
    await direct.end({ timeout: 1 });
    await following.isComplete(2);
    await soon(async () => expect((await claim(1, 1)).status).toBe(200));
    await soon(() => expect(following.latest().get(1)?.data.claimed).toBe(1));
  });

  test('several times, followers still get the last state', async () => {
    const lonely = await makeApp();
    const following = await follow((init) => lonely.app.request('/jobs/events?jobId=2', init));
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

describe('a stopping server', () => {
  test('ends its streams after a complete event while a claim still runs, and then exits', async () => {
    const databaseUrl = await makeDatabase();
    const server = runServer({ DATABASE_URL: databaseUrl });
    await expectEndOfStreams(databaseUrl, await urlOf(server), () => server.child.kill('SIGTERM'));
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.stderr()).not.toContain('"level":"error"');
  });
});
