import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { companies, jobClaims, jobs } from '../../../src/service/database/schema.ts';
import { makeApp } from '../../support/app.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;

beforeAll(async () => {
  made = await makeApp();
});

/** Makes a job for one test. */
async function makeJob(values: { id?: bigint; capacity?: number } = {}): Promise<bigint> {
  const [company] = await made.db.select().from(companies).limit(1);
  if (!company) throw new Error('no company');
  const [job] = await made.db
    .insert(jobs)
    .values({ companyId: company.id, role: 'Tester', ...values })
    .returning();
  if (!job) throw new Error('no job');
  return job.id;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests check the content of answers.
const json = async (response: Response): Promise<any> => response.json();

const claimsOf = (jobId: bigint) => made.db.$count(jobClaims, eq(jobClaims.jobId, jobId));

async function expectProblem(response: Response, status: number, code: string) {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-request-id')).toBeTruthy();
  const body = await json(response);
  expect(body).toMatchObject({ status, code, type: `/problems/${code}` });
  expect(body.title).toEqual(expect.any(String));
  expect(body.detail).toEqual(expect.any(String));
  return body;
}

describe('a claim that is granted', () => {
  test('answers 200 with the claim and the slots that are left', async () => {
    const jobId = await makeJob();
    const response = await made.claim(jobId, 7);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const body = await json(response);
    expect(body).toEqual({
      message: 'Job claimed successfully',
      claim: {
        id: expect.any(Number),
        jobId: Number(jobId),
        recruiterId: 7,
        expiresAt: null,
        claimedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
      capacity: 4,
      claimed: 1,
      remaining: 3,
    });
    const [row] = await made.db.select().from(jobClaims).where(eq(jobClaims.jobId, jobId));
    expect(row).toMatchObject({ id: BigInt(body.claim.id), recruiterId: 7n });
  });

  test('uses a slot of its job, so a job with one slot is then full', async () => {
    const jobId = await makeJob({ capacity: 1 });
    expect(await (await made.claim(jobId, 1)).json()).toMatchObject({ capacity: 1, remaining: 0 });
    await expectProblem(await made.claim(jobId, 2), 403, 'job-full');
  });

  test('has an id as text in its answer if a JavaScript number would not be exact', async () => {
    const id = 2n ** 53n + 1n;
    await makeJob({ id });
    const body = await json(await made.claim(id, 1));
    expect(body.claim.jobId).toBe('9007199254740993');
    expect(body.claim.recruiterId).toBe(1);
  });
});

describe('a claim that is refused', () => {
  test('answers 409 to a recruiter who holds the job already, and 403 to the fifth of five recruiters', async () => {
    const jobId = await makeJob();
    for (const recruiterId of [1, 2, 3, 4])
      expect((await made.claim(jobId, recruiterId)).status).toBe(200);
    const full = await expectProblem(await made.claim(jobId, 5), 403, 'job-full');
    expect(full).toMatchObject({ title: 'Job fully claimed', capacity: 4, remaining: 0 });
    const held = await expectProblem(await made.claim(jobId, 4), 409, 'already-claimed');
    expect(held).toMatchObject({
      title: 'Recruiter already claimed this job',
      capacity: 4,
      claimed: 4,
      remaining: 0,
    });
    expect(await claimsOf(jobId)).toBe(4);
  });

  test('answers 404 and says whether the job or the recruiter is missing', async () => {
    const jobId = await makeJob();
    await expectProblem(await made.claim(9_000_000, 1), 404, 'job-not-found');
    await expectProblem(await made.claim(jobId, 9_000_000), 404, 'recruiter-not-found');
    await expectProblem(await made.claim(2n ** 63n - 1n, 1), 404, 'job-not-found');
    expect(await claimsOf(jobId)).toBe(0);
  });
});

describe('an invalid request', () => {
  const good = 'jobId=1&recruiterId=1';
  test.each([
    ['', 'jobId is missing; recruiterId is missing'],
    ['recruiterId=1', 'jobId is missing'],
    ['jobId=1', 'recruiterId is missing'],
    ['jobId=&recruiterId=1', 'jobId is empty'],
    [`${good}&jobId=2`, 'jobId is given more than once'],
    [`${good}&recruiterId=1`, 'recruiterId is given more than once'],
    ['jobId=0&recruiterId=1', 'jobId must be a positive whole number'],
    ['jobId=-1&recruiterId=1', 'jobId must be a positive whole number'],
    ['jobId=1.5&recruiterId=1', 'jobId must be a positive whole number'],
    ['jobId=1e3&recruiterId=1', 'jobId must be a positive whole number'],
    ['jobId=0x1&recruiterId=1', 'jobId must be a positive whole number'],
    ['jobId=%201&recruiterId=1', 'jobId must be a positive whole number'],
    ['jobId=1%00&recruiterId=1', 'jobId must be a positive whole number'],
    ['jobId=NaN&recruiterId=null', 'jobId must be a positive whole number; recruiterId must be a'],
    ['jobId=1&recruiterId=1;DROP', 'recruiterId must be a positive whole number'],
    ['jobId=9223372036854775808&recruiterId=1', 'jobId must be at most 9223372036854775807'],
    [`jobId=${'9'.repeat(5000)}&recruiterId=1`, 'jobId must be at most 9223372036854775807'],
  ])('the query "%s" is answered 400: %s', async (query, detail) => {
    const response = await made.app.request(`/claim-job?${query}`);
    const body = await expectProblem(response, 400, 'invalid-request');
    expect(body.detail).toContain(detail);
    expect(body.errors.map((each: { parameter: string }) => each.parameter)).toEqual(
      [...detail.matchAll(/(jobId|recruiterId) /g)].map((match) => match[1]),
    );
  });
});

test.each([
  ['jobId=1&recruiterId=1&leaseSeconds=60', 'query has unknown parameters: leaseSeconds'],
  ['jobId=1&recruiterId=1&x=1&y=2', 'query has unknown parameters: x, y'],
  ['jobId=1&recruiterld=1', 'recruiterId is missing; query has unknown parameters: recruiterld'],
])('a claim is refused if a parameter is unknown: %s', async (query, detail) => {
  const response = await made.app.request(`/claim-job?${query}`);
  expect((await expectProblem(response, 400, 'invalid-request')).detail).toBe(detail);
});

test('a read ignores unknown parameters, such as utm_source in a tracked link', async () => {
  expect((await made.app.request('/jobs?utm_source=mail')).status).toBe(200);
});

describe('the address /claim-job', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])(
    'refuses the method %s, claims nothing, and names GET as the allowed method',
    async (method) => {
      const jobId = await makeJob();
      const response = await made.claim(jobId, 1, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET');
      expect(await claimsOf(jobId)).toBe(0);
    },
  );

  test.each([
    ['Sec-Purpose', 'prefetch'],
    ['Sec-Purpose', 'prefetch;prerender'],
    ['Purpose', 'prefetch'],
    ['purpose', 'Prefetch'],
    ['Sec-Purpose', 'prefetch;anonymous-client-ip'],
    ['sec-purpose', 'x, PRERENDER'],
    ['Purpose', 'preview'],
    ['X-Purpose', 'preview'],
    ['X-Purpose', ' Preview, x'],
    ['X-Moz', 'prefetch'],
    ['x-moz', 'PREFETCH'],
  ])('claims nothing if a browser sends the GET ahead of time (%s: %s)', async (header, value) => {
    const jobId = await makeJob();
    const response = await made.claim(jobId, 1, { headers: { [header]: value } });
    await expectProblem(response, 400, 'prefetch-refused');
    expect(await claimsOf(jobId)).toBe(0);
  });
});

describe('the service', () => {
  test('refuses a claim while the server drains, but answers /healthz', async () => {
    const { app, claim } = await makeApp({ isDraining: () => true });
    expect((await app.request('/healthz')).status).toBe(200);
    const response = await claim(1, 1);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.headers.get('connection')).toBe('close');
    await expectProblem(response, 503, 'shutting-down');
  });

  test('answers 404 to an unknown address', async () => {
    await expectProblem(await made.app.request('/claim-jobs'), 404, 'not-found');
  });

  test('has no routes of the lab outside workshop mode', async () => {
    for (const path of ['/lab/strategies', '/lab/races/1/claim-job?jobId=1&recruiterId=1'])
      await expectProblem(await made.app.request(path), 404, 'not-found');
  });

  test('puts the request id of the client into the answer', async () => {
    const response = await made.claim(1, 'x', { headers: { 'X-Request-Id': 'abc-123' } });
    expect(response.headers.get('x-request-id')).toBe('abc-123');
  });
});
