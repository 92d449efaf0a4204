import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeApp } from '../../support/app.ts';
import { as, WITH_SECRET } from '../../support/tokens.ts';

let made: Awaited<ReturnType<typeof makeApp>>;
beforeAll(async () => {
  made = await makeApp();
});

const newJob = async (): Promise<number> =>
  (await made.call('POST', '/jobs', { companyId: 1, role: 'Tester' })).body.id;

test('the history of a job lists all changes of the job, oldest change first', async () => {
  const id = await newJob();
  const { claim } = (
    await made.call('POST', `/jobs/${id}/claims`, { recruiterId: 3, leaseSeconds: 60 })
  ).body;
  await made.call('PATCH', `/jobs/${id}`, { capacity: 2 });
  await made.call('DELETE', `/claims/${claim.id}`);
  const { status, body } = await made.call('GET', `/jobs/${id}/events`);
  expect(status).toBe(200);
  const waiting = 0;
  const ofClaim = { claimId: claim.id, recruiterId: 3, expiresAt: claim.expiresAt, waiting };
  const ofNone = { claimId: null, recruiterId: null, expiresAt: null, waiting };
  const at = expect.any(String);
  const role = 'Tester';
  expect(body).toEqual({
    events: [
      { number: 1, kind: 'posted', at, ...ofNone, role, capacity: 4, claimed: 0, remaining: 4 },
      { number: 2, kind: 'claimed', at, ...ofClaim, role, capacity: 4, claimed: 1, remaining: 3 },
      { number: 3, kind: 'resized', at, ...ofNone, role, capacity: 2, claimed: 1, remaining: 1 },
      { number: 4, kind: 'released', at, ...ofClaim, role, capacity: 2, claimed: 0, remaining: 2 },
    ],
    nextCursor: null,
  });
});

test('the history can be read page by page, and has each event once', async () => {
  const id = await newJob();
  for (let n = 1; n <= 4; n++) await made.call('POST', `/jobs/${id}/claims`, { recruiterId: n });
  const numbers: number[] = [];
  let cursor: string | null = '';
  for (let pages = 1; cursor !== null; pages++) {
    const query: string = cursor && `&cursor=${cursor}`;
    const { body } = await made.call('GET', `/jobs/${id}/events?limit=2${query}`);
    numbers.push(...body.events.map(({ number }: { number: number }) => number));
    cursor = body.nextCursor;
    expect(pages).toBeLessThanOrEqual(3);
  }
  expect(numbers).toEqual([1, 2, 3, 4, 5]);
  const beyond = await made.call('GET', `/jobs/${id}/events?cursor=9223372036854775807`);
  expect(beyond.body).toEqual({ events: [], nextCursor: null });
});

test('the history of a job without events is empty, and the history of an unknown job is answered 404', async () => {
  const id = await newJob();
  await made.db.execute(sql`DELETE FROM events WHERE job_id = ${id}`);
  expect((await made.call('GET', `/jobs/${id}/events`)).body).toMatchObject({ events: [] });
  const unknown = await made.call('GET', '/jobs/987654321/events');
  expect(unknown).toMatchObject({ status: 404, body: { code: 'job-not-found' } });
});

describe('with tokens', () => {
  test('the company of a removed job can still read the history of the job, and another company cannot', async () => {
    const guarded = await makeApp({ url: made.databaseUrl, auth: WITH_SECRET });
    const id = await newJob();
    await made.db.execute(sql`DELETE FROM jobs WHERE id = ${id}`);
    const read = async (role: string, sub: string) =>
      guarded.call('GET', `/jobs/${id}/events`, undefined, await as(role, sub));
    const { body } = await read('company', '1');
    expect(body.events.map(({ kind }: { kind: string }) => kind)).toEqual(['posted', 'removed']);
    expect((await read('admin', 'ada')).status).toBe(200);
    expect((await read('company', '2')).status).toBe(403);
    expect((await read('recruiter', '1')).status).toBe(403);
  });
});
