import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { prepareDatabase } from '../../../src/db/migrate.ts';
import { startEmbedded } from '../../../src/postgres/embedded.ts';
import { makeApp } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { follow } from '../../support/events.ts';

const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 30_000 });

test('after the connections to the database are lost and the server has started anew, the full state comes again', async () => {
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
