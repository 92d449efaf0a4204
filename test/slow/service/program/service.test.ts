import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { makeService } from '../../../support/app.ts';
import { atEnd, runServer, runWorker } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';
import { expectEndOfWait } from '../../../support/server.ts';

describe('a start that waits for a locked table', () => {
  test('of a server ends silently on SIGTERM, and the name of the worker is free', () =>
    expectEndOfWait(runServer, 'installation', /Workers: "ada"/));

  test('of a worker ends silently on SIGTERM, and the name of the worker is free', () =>
    expectEndOfWait(runWorker, 'workers', /Worker "ada"/));
});

test('a service does not count claims of the lab as outcomes', async () => {
  const { url } = await makeService(await makeDatabase());
  const order = { method: 'POST', body: JSON.stringify({ strategy: 'naive' }) };
  const begun = await fetch(`${url}/lab/races`, order);
  const { race, jobId } = (await begun.json()) as { race: string; jobId: number };
  const claim = `/lab/races/${race}/claim-job?jobId=${jobId}&recruiterId=1`;
  expect((await fetch(url + claim)).status).toBe(200);
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).not.toContain('rowlock_claim_outcomes_total{');
});

test('a stopping service leaves no scratch database of the lab behind', async () => {
  const databaseUrl = await makeDatabase();
  const sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end());
  // Other tests have scratch databases on the same server. This service has its own account, so the
  // test recognizes the scratch databases of the service by their owner.
  const username = new URL(databaseUrl).pathname.slice(1);
  await sql`CREATE ROLE ${sql(username)} SUPERUSER LOGIN PASSWORD 'secret'`;
  atEnd(() => sql`DROP ROLE ${sql(username)}`);
  const url = Object.assign(new URL(databaseUrl), { username, password: 'secret' }).href;
  const scratch = () => sql`SELECT 1 FROM pg_database
    WHERE datname LIKE 'rowlock_scratch_%' AND pg_get_userbyid(datdba) = ${username}`;
  const service = await makeService(url);
  const answer = await fetch(`${service.url}/lab/plays`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ strategy: 'naive' }),
  });
  expect(answer.status).toBe(200);
  expect(await scratch()).toHaveLength(1);
  await service.stop();
  expect(await scratch()).toHaveLength(0);
});
