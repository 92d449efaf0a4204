import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { makeService } from '../../../support/app.ts';
import { atEnd } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';
import { makeReceiver } from '../../../support/receiver.ts';

test('claims of two servers reach the receiver, although only one server has a worker', async () => {
  const url = await makeDatabase();
  const sql = postgres(url, { max: 1 });
  atEnd(() => sql.end());
  const receiver = await makeReceiver();
  const idle = await makeService(url, { lab: false });
  const created = await fetch(`${idle.url}/companies/1/endpoints`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, types: ['claim.created'] }),
  });
  const { secret } = (await created.json()) as { secret: string };
  const claim = (server: string, job: number, recruiter: number) =>
    fetch(`${server}/claim-job?jobId=${job}&recruiterId=${recruiter}`);
  await claim(idle.url, 1, 1);
  expect(await sql`SELECT FROM webhook_unrelayed`).toHaveLength(1);
  const working = await makeService(url, { lab: false, places: 4 });
  await Promise.all([1, 2, 3, 4].map((job) => claim(working.url, job, 2)));
  await claim(idle.url, 2, 3);
  await receiver.untilReceived(6);
  for (const each of receiver.received) receiver.verify(each, secret);
  const claims = receiver.received.map(({ message: { data } }) => data.claim.id);
  const rows = await sql`SELECT id FROM job_claims`;
  expect(claims.sort()).toEqual(rows.map(({ id }) => Number(id)).sort());
  await vi.waitFor(
    async () =>
      expect(await sql`SELECT FROM webhook_deliveries WHERE delivered_at IS NULL`).toEqual([]),
    { timeout: 20_000 },
  );
});
