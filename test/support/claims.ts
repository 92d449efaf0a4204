import postgres from 'postgres';
import { expect } from 'vitest';
import type { Service } from '../../src/service/program/service.ts';
import type { makeApp } from './app.ts';

/** Claims a job through one of the servers. Returns the status. */
export async function claimFrom(
  servers: Service[],
  jobId: number,
  recruiterId: number,
): Promise<number> {
  const { url } = servers[recruiterId % servers.length] as Service;
  const response = await fetch(`${url}/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`);
  await response.text();
  return response.status;
}

/** Lets recruiters claim the job at the same moment, through all servers. Returns the statuses. */
export const crowd = (servers: Service[], jobId: number, recruiters: number): Promise<number[]> =>
  Promise.all(Array.from({ length: recruiters }, (_, n) => claimFrom(servers, jobId, n + 1)));

type Call = Awaited<ReturnType<typeof makeApp>>['call'];

/**
 * Expects that a server claims job 3, repeats the answer, renews the claim and releases it, with
 * exact times. `databaseUrl` leads to the database without a pooler.
 */
export async function expectWholeClaim(call: Call, databaseUrl: string) {
  const ask = () =>
    call(
      'POST',
      '/jobs/3/claims',
      { recruiterId: 1, leaseSeconds: 60 },
      { 'Idempotency-Key': 'k' },
    );
  const first = await ask();
  const again = await ask();
  expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
  const { id, claimedAt } = first.body.claim;
  const direct = postgres(databaseUrl, { max: 1, connection: { DateStyle: 'ISO' } });
  const [row] = await direct`SELECT created_at FROM job_claims WHERE id = ${id}`;
  await direct.end();
  expect(new Date(claimedAt)).toEqual(row?.created_at);
  const renewed = await call('POST', `/claims/${id}/renew`, { leaseSeconds: 900 });
  expect((await call('GET', `/claims/${id}`)).body.claim).toEqual(renewed.body.claim);
  expect((await call('DELETE', `/claims/${id}`)).status).toBe(200);
  expect((await call('GET', `/claims/${id}`)).status).toBe(404);
}
