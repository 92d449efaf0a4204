import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { jobClaims, jobs } from '../../../src/service/database/schema.ts';
import { makeApp } from '../../support/app.ts';
import { whileHeld } from '../../support/locks.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;

beforeAll(async () => {
  made = await makeApp();
});

async function makeJob(capacity = 4): Promise<bigint> {
  const [job] = await made.db
    .insert(jobs)
    .values({ companyId: 1n, role: 'A job', capacity })
    .returning();
  return job?.id ?? 0n;
}

const claim = (jobId: bigint, recruiterId: number, leaseSeconds?: number) =>
  made.call('POST', `/jobs/${jobId}/claims`, { recruiterId, leaseSeconds });

const letLeaseEnd = (id: number) =>
  made.db
    .update(jobClaims)
    .set({ expiresAt: sql`statement_timestamp()` })
    .where(eq(jobClaims.id, BigInt(id)));

describe('a claim by POST', () => {
  test('is answered 201 with the address of the claim and the slots of the job', async () => {
    const jobId = await makeJob();
    const { status, headers, body } = await claim(jobId, 7);
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/claims/${body.claim.id}`);
    expect(body).toMatchObject({
      claim: { jobId: Number(jobId), recruiterId: 7, expiresAt: null },
      capacity: 4,
      claimed: 1,
      remaining: 3,
    });
    const read = await made.call('GET', `/claims/${body.claim.id}`);
    const { message: _, ...rest } = body;
    expect([read.status, read.body]).toEqual([200, rest]);
  });

  test('is refused like a claim by GET', async () => {
    const jobId = await makeJob(1);
    expect((await claim(jobId, 1)).status).toBe(201);
    expect(await claim(jobId, 1)).toMatchObject({ status: 409, body: { code: 'already-claimed' } });
    expect(await claim(jobId, 2)).toMatchObject({ status: 403, body: { code: 'job-full' } });
    expect(await claim(9_000_000n, 2)).toMatchObject({
      status: 404,
      body: { code: 'job-not-found' },
    });
    expect(await claim(await makeJob(), 9_000_000)).toMatchObject({
      status: 404,
      body: { code: 'recruiter-not-found' },
    });
  });

  test.each([
    [undefined, 'recruiterId is missing'],
    [[], 'body must be a JSON object'],
    ['text', 'body must be a JSON object'],
    [{}, 'recruiterId is missing'],
    [{ recruiterId: '1; DROP' }, 'recruiterId must be a positive whole number'],
    [{ recruiterId: 1.5 }, 'recruiterId must be a positive whole number'],
    [{ recruiterId: -1 }, 'recruiterId must be a positive whole number'],
    [{ recruiterId: null }, 'recruiterId must be a positive whole number'],
    [{ recruiterId: [1] }, 'recruiterId must be a positive whole number'],
    [{ recruiterId: '9223372036854775808' }, 'recruiterId must be at most 9223372036854775807'],
    [{ recruiterId: 1, leaseSeconds: 0 }, 'leaseSeconds must be a whole number from 1 to 2592000'],
    [{ recruiterId: 1, leaseSeconds: 2_592_001 }, 'leaseSeconds must be a whole number'],
    [{ recruiterId: 1, leaseSeconds: '60' }, 'leaseSeconds must be a whole number'],
    [{ recruiterId: 1, leaseSeconds: null }, 'leaseSeconds must be a whole number'],
    [{ recruiterId: 1, leasSeconds: 60 }, 'body has unknown fields: leasSeconds'],
  ])('with the body %j is answered 400: %s', async (body, detail) => {
    const answer = await made.call('POST', '/jobs/1/claims', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
    expect(answer.body.detail).toContain(detail);
  });

  test('accepts a recruiter id that is text', async () => {
    const answer = await made.call('POST', `/jobs/${await makeJob()}/claims`, { recruiterId: '8' });
    expect(answer).toMatchObject({ status: 201, body: { claim: { recruiterId: 8 } } });
  });

  test('is answered 400 if its body is not JSON, and 413 if its body is too large', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const broken = await made.app.request('/jobs/1/claims', {
      method: 'POST',
      headers,
      body: '{"recruiterId":',
    });
    expect(broken.status).toBe(400);
    expect(await broken.json()).toMatchObject({ detail: 'The body is not JSON.' });
    const large = await made.call('POST', '/jobs/1/claims', { recruiterId: 'x'.repeat(10_000) });
    expect(large).toMatchObject({ status: 413, body: { code: 'body-too-large' } });
  });
});

describe('a release', () => {
  test('frees the slot immediately, and a second release of the same claim is answered 404', async () => {
    const jobId = await makeJob(1);
    const { body } = await claim(jobId, 1);
    expect((await claim(jobId, 2)).status).toBe(403);
    const released = await made.call('DELETE', `/claims/${body.claim.id}`);
    expect(released).toMatchObject({
      status: 200,
      body: { message: 'Claim released', claim: body.claim, claimed: 0, remaining: 1 },
    });
    expect((await claim(jobId, 2)).status).toBe(201);
    const again = await made.call('DELETE', `/claims/${body.claim.id}`);
    expect(again).toMatchObject({ status: 404, body: { code: 'claim-not-found' } });
    expect((await claim(jobId, 3)).status).toBe(403);
  });

  test('of an old claim does not free the slot of a newer claim of the same recruiter', async () => {
    const jobId = await makeJob(1);
    const first = await claim(jobId, 1);
    await made.call('DELETE', `/claims/${first.body.claim.id}`);
    const second = await claim(jobId, 1);
    expect(second.status).toBe(201);
    expect((await made.call('DELETE', `/claims/${first.body.claim.id}`)).status).toBe(404);
    expect((await made.call('GET', `/claims/${second.body.claim.id}`)).status).toBe(200);
  });

  test('succeeds only once if fifty requests release the same claim at the same time', async () => {
    const { body } = await claim(await makeJob(), 1);
    const all = await Promise.all(
      Array.from({ length: 50 }, () => made.call('DELETE', `/claims/${body.claim.id}`)),
    );
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 404)).toHaveLength(49);
  });

  test('never lets a job with four slots have more than four holders while fifty recruiters claim, release and claim again', async () => {
    const jobId = await makeJob();
    const recruiters = Array.from({ length: 50 }, (_, index) => index + 1);
    await Promise.all(
      recruiters.map(async (recruiterId) => {
        for (let n = 0; n < 3; n++) {
          const { status, body } = await claim(jobId, recruiterId);
          if (status === 201) await made.call('DELETE', `/claims/${body.claim.id}`);
          else expect(status).toBe(403);
          expect(body.claimed).toBeLessThanOrEqual(4);
        }
        await claim(jobId, recruiterId);
      }),
    );
    const { body } = await made.call('GET', `/jobs/${jobId}/claims`);
    expect(body).toMatchObject({ claimed: 4, remaining: 0 });
    expect(body.claims).toHaveLength(4);
  });
});

describe('a lease', () => {
  test('ends by the clock of the database, and the answer gives the time of its end', async () => {
    const { body } = await claim(await makeJob(), 1, 900);
    const [row] = await made.db.select().from(jobClaims).where(eq(jobClaims.id, body.claim.id));
    const { claimedAt, expiresAt } = body.claim;
    expect(row?.expiresAt?.toISOString()).toBe(expiresAt);
    const seconds = (Date.parse(expiresAt) - Date.parse(claimedAt)) / 1000;
    expect(seconds).toBeGreaterThanOrEqual(900);
    expect(seconds).toBeLessThan(902);
  });

  test('that has ended frees its slot for other recruiters', async () => {
    const jobId = await makeJob(1);
    const { body } = await claim(jobId, 1, 900);
    expect((await claim(jobId, 2)).status).toBe(403);
    await letLeaseEnd(body.claim.id);
    expect((await made.call('GET', `/jobs/${jobId}`)).body).toMatchObject({ claimed: 0 });
    expect((await made.call('GET', `/jobs/${jobId}/claims`)).body.claims).toEqual([]);
    expect(await claim(jobId, 2)).toMatchObject({ status: 201, body: { claimed: 1 } });
  });

  test('that has ended lets the same recruiter claim the job again, and the old claim is then unknown', async () => {
    const jobId = await makeJob(1);
    const first = await claim(jobId, 1, 900);
    await letLeaseEnd(first.body.claim.id);
    const second = await claim(jobId, 1, 900);
    expect(second.status).toBe(201);
    expect(second.body.claim.id).not.toBe(first.body.claim.id);
    for (const [method, path, body] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/renew', { leaseSeconds: 900 }],
    ] as const) {
      const late = await made.call(method, `/claims/${first.body.claim.id}${path}`, body);
      expect(late).toMatchObject({ status: 404, body: { code: 'claim-not-found' } });
    }
  });

  test('is renewed for a time that begins at the request, and cannot be renewed after its end', async () => {
    const jobId = await makeJob();
    const { body } = await claim(jobId, 1, 5);
    const path = `/claims/${body.claim.id}/renew`;
    const renewed = await made.call('POST', path, { leaseSeconds: 3_600 });
    expect(renewed).toMatchObject({ status: 200, body: { message: 'Lease renewed', claimed: 1 } });
    const longer = Date.parse(renewed.body.claim.expiresAt) - Date.parse(body.claim.expiresAt);
    expect(longer).toBeGreaterThan(3_500_000);
    await letLeaseEnd(body.claim.id);
    expect(await made.call('POST', path, { leaseSeconds: 60 })).toMatchObject({
      status: 404,
      body: { code: 'claim-not-found' },
    });
  });

  test('cannot be added to a claim without a lease', async () => {
    const { body } = await claim(await makeJob(), 1);
    const renewed = await made.call('POST', `/claims/${body.claim.id}/renew`, { leaseSeconds: 60 });
    expect(renewed).toMatchObject({ status: 409, body: { code: 'no-lease' } });
    expect((await made.call('GET', `/claims/${body.claim.id}`)).body.claim.expiresAt).toBeNull();
  });

  test.each([
    [{}, 'leaseSeconds is missing'],
    [{ leaseSeconds: 0 }, 'leaseSeconds must be a whole number from 1 to 2592000'],
    [{ leaseSeconds: 1, more: 1 }, 'more'],
  ])('is not renewed by the body %j: %s', async (change, detail) => {
    const answer = await made.call('POST', '/claims/1/renew', change);
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toContain(detail);
  });

  test('is renewed under the lock of the job, but not if the previous lock holder has removed the claim', async () => {
    const jobId = await makeJob();
    const { body } = await claim(jobId, 1, 900);
    const { renewal } = await whileHeld(made.databaseUrl, jobId, async ({ tx, untilWaitedFor }) => {
      const renewal = made.call('POST', `/claims/${body.claim.id}/renew`, { leaseSeconds: 60 });
      await untilWaitedFor();
      // A session that claims the job deletes an expired claim in the same way.
      await tx`DELETE FROM job_claims WHERE id = ${body.claim.id}`;
      return { renewal };
    });
    expect(await renewal).toMatchObject({ status: 404, body: { code: 'claim-not-found' } });
  });
});

describe('lists of claims', () => {
  test('of a job come in pages, oldest claim first, with the slots of the job', async () => {
    const jobId = await makeJob(10);
    for (const recruiterId of [5, 3, 9]) await claim(jobId, recruiterId);
    const first = await made.call('GET', `/jobs/${jobId}/claims?limit=2`);
    expect(first).toMatchObject({ status: 200, body: { capacity: 10, claimed: 3, remaining: 7 } });
    const next = await made.call(
      'GET',
      `/jobs/${jobId}/claims?limit=2&cursor=${first.body.nextCursor}`,
    );
    expect(next.body.nextCursor).toBeNull();
    const holders = [...first.body.claims, ...next.body.claims].map((each) => each.recruiterId);
    expect(holders).toEqual([5, 3, 9]);
  });

  test('of a recruiter have no released claims', async () => {
    const one = await claim(await makeJob(), 100);
    const two = await claim(await makeJob(), 100, 900);
    await made.call('DELETE', `/claims/${one.body.claim.id}`);
    const { status, body } = await made.call('GET', '/recruiters/100/claims');
    expect(status).toBe(200);
    expect(body).toEqual({ claims: [two.body.claim], nextCursor: null });
  });

  test.each([
    ['/jobs/9000000/claims', 'job-not-found'],
    ['/recruiters/9000000/claims', 'recruiter-not-found'],
    ['/claims/9000000', 'claim-not-found'],
  ])('and single claims are answered 404 for an unknown id: %s', async (path, code) => {
    expect(await made.call('GET', path)).toMatchObject({ status: 404, body: { code } });
  });
});
