import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeApp } from '../../support/app.ts';
import { whileHeld } from '../../support/locks.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;

beforeAll(async () => {
  made = await makeApp();
});

const post = async (job: Record<string, unknown> = {}) =>
  (await made.call('POST', '/jobs', { companyId: 1, role: 'Gardener', ...job })).body.id as number;

describe('a job', () => {
  test('is posted and read, and has four slots by default', async () => {
    const job = { companyId: 2, role: '  Night watch, Küste 🌊 ' };
    const made1 = await made.call('POST', '/jobs', job);
    expect(made1.status).toBe(201);
    expect(made1.headers.get('location')).toBe(`/jobs/${made1.body.id}`);
    expect(made1.body).toEqual({
      id: expect.any(Number),
      company: { id: 2, name: 'Fernway Health' },
      role: 'Night watch, Küste 🌊',
      createdAt: expect.stringMatching(/Z$/),
      capacity: 4,
      claimed: 0,
      remaining: 4,
    });
    const read = await made.call('GET', `/jobs/${made1.body.id}`);
    expect([read.status, read.body]).toEqual([200, made1.body]);
  });

  test.each([
    [{ companyId: 9_000_000, role: 'x' }, 404, 'company-not-found', 'no company'],
    [{ role: 'x' }, 400, 'invalid-request', 'companyId is missing'],
    [{ companyId: 1 }, 400, 'invalid-request', 'role is missing'],
    [{ companyId: 1, role: 7 }, 400, 'invalid-request', 'role must be text'],
    [{ companyId: 1, role: ' ' }, 400, 'invalid-request', 'role is empty'],
    [{ companyId: 1, role: '\u200b' }, 400, 'invalid-request', 'role shows nothing'],
    [{ companyId: 1, role: '\u00ad \u3164' }, 400, 'invalid-request', 'role shows nothing'],
    [{ companyId: 1, role: 'a\u202eb' }, 400, 'invalid-request', 'role must be one line of'],
    [{ companyId: 1, role: '\u2066a\u2069' }, 400, 'invalid-request', 'role must be one line of'],
    [{ companyId: 1, role: 'a\nb' }, 400, 'invalid-request', 'role must be one line'],
    [{ companyId: 1, role: 'a\u0000b' }, 400, 'invalid-request', 'role must be one line'],
    [{ companyId: 1, role: '\ud800' }, 400, 'invalid-request', 'role must be one line'],
    [{ companyId: 1, role: 'x'.repeat(201) }, 400, 'invalid-request', 'at most 200 characters'],
    [{ companyId: 1, role: 'x', capacity: 0 }, 400, 'invalid-request', 'capacity must be'],
    [{ companyId: 1, role: 'x', capacity: 1_001 }, 400, 'invalid-request', 'capacity must be'],
    [{ companyId: 1, role: 'x', capacity: '4' }, 400, 'invalid-request', 'capacity must be'],
    [{ companyId: 1, role: 'x', capcity: 4 }, 400, 'invalid-request', 'capcity'],
  ])('that is posted as %j is answered %i %s: %s', async (body, status, code, detail) => {
    const answer = await made.call('POST', '/jobs', body);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(answer.body.detail).toContain(detail);
  });

  test('can get a new role and a new capacity', async () => {
    const id = await post();
    const changed = await made.call('PATCH', `/jobs/${id}`, { role: 'Florist', capacity: 9 });
    expect(changed).toMatchObject({ status: 200, body: { id, role: 'Florist', capacity: 9 } });
    expect((await made.call('PATCH', `/jobs/${id}`, { capacity: 2 })).body).toMatchObject({
      role: 'Florist',
      capacity: 2,
      remaining: 2,
    });
  });

  test.each([
    [1, {}, 400, 'body changes nothing'],
    [1, { capacity: 0 }, 400, 'capacity must be a whole number'],
    [1, { companyId: 2 }, 400, 'companyId'],
    [9_000_000, { capacity: 2 }, 404, 'no job'],
  ])('with the id %i refuses the change %j: %i %s', async (id, change, status, detail) => {
    const answer = await made.call('PATCH', `/jobs/${id}`, change);
    expect(answer.status).toBe(status);
    expect(answer.body.detail).toContain(detail);
  });

  test('cannot get a capacity below its number of claims, and the answer has both numbers', async () => {
    const id = await post();
    for (const recruiterId of [1, 2, 3]) await made.claim(id, recruiterId);
    expect(await made.call('PATCH', `/jobs/${id}`, { capacity: 2 })).toMatchObject({
      status: 409,
      body: { code: 'capacity-too-low', requested: 2, capacity: 4, claimed: 3, remaining: 1 },
    });
    expect((await made.call('GET', `/jobs/${id}`)).body.capacity).toBe(4);
    expect((await made.call('PATCH', `/jobs/${id}`, { capacity: 3 })).status).toBe(200);
    expect((await made.claim(id, 4)).status).toBe(403);
  });

  test('has no more claims than slots after many recruiters claimed it while its capacity was lowered', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await post({ capacity: 8 });
      const claims = Array.from({ length: 20 }, (_, index) => made.claim(id, index + 1));
      const changes = [6, 5, 4, 3, 2, 1].map((capacity) =>
        made.call('PATCH', `/jobs/${id}`, { capacity }),
      );
      await Promise.all<unknown>([...claims, ...changes]);
      const { body } = await made.call('GET', `/jobs/${id}`);
      expect(body.claimed).toBeLessThanOrEqual(body.capacity);
    }
  });

  test('changes its capacity only after a running claim of the job has ended', async () => {
    const id = await post({ capacity: 2 });
    const { change } = await whileHeld(made.databaseUrl, id, async ({ tx, untilWaitedFor }) => {
      await tx`INSERT INTO job_claims (job_id, recruiter_id) VALUES (${id}, 1), (${id}, 2)`;
      const change = made.call('PATCH', `/jobs/${id}`, { capacity: 1 });
      await untilWaitedFor();
      return { change };
    });
    expect(await change).toMatchObject({ status: 409, body: { claimed: 2, requested: 1 } });
  });
});

test('while many changes wait for a locked job, requests for another job still get a connection', async () => {
  const patient = await makeApp({ url: made.databaseUrl, lockTimeoutMs: 20_000 });
  const [held, other] = [await post(), await post()];
  const { changes } = await whileHeld(made.databaseUrl, held, async () => {
    const changes = Array.from({ length: 30 }, () =>
      patient.call('PATCH', `/jobs/${held}`, { capacity: 5 }),
    );
    expect((await patient.call('PATCH', `/jobs/${other}`, { capacity: 5 })).status).toBe(200);
    expect((await patient.claim(other, 1)).status).toBe(200);
    return { changes };
  });
  const statuses = (await Promise.all(changes)).map(({ status }) => status);
  expect(new Set(statuses.filter((status) => status !== 503))).toEqual(new Set([200]));
});

describe('the list of jobs', () => {
  test('examines at most 5,000 jobs for a page with a status, and returns a cursor for the jobs after them', async () => {
    const { db, call } = await makeApp();
    await db.execute(
      sql`INSERT INTO jobs (company_id, role) SELECT 1, 'x' FROM generate_series(1, 6000)`,
    );
    const [last] = await db.execute<{ id: string }>(sql`SELECT max(id) AS id FROM jobs`);
    for (const recruiterId of [1, 2, 3, 4])
      await call('POST', `/jobs/${last?.id}/claims`, { recruiterId });
    const first = await call('GET', '/jobs?status=full');
    expect(first.body).toEqual({ jobs: [], nextCursor: '5000' });
    const second = await call('GET', '/jobs?status=full&cursor=5000');
    expect(second.body).toMatchObject({ jobs: [{ id: Number(last?.id) }], nextCursor: null });
    const open = await call('GET', '/jobs?status=open&limit=3');
    expect(open.body).toMatchObject({ jobs: [{ id: 1 }, { id: 2 }, { id: 3 }], nextCursor: '3' });
  });

  test('has each job exactly once over all pages, in the order of the ids', async () => {
    const seen: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await made.call('GET', `/jobs?limit=7${cursor && `&cursor=${cursor}`}`);
      expect(page.status).toBe(200);
      expect(page.body.jobs.length).toBeLessThanOrEqual(7);
      seen.push(...page.body.jobs.map((job: { id: number }) => job.id));
      cursor = page.body.nextCursor;
    }
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    expect(seen.length).toBeGreaterThanOrEqual(24);
  });

  test('can be filtered by company, and by the status open or full', async () => {
    const full = await post({ companyId: 3, capacity: 1 });
    const open = await post({ companyId: 3, capacity: 2 });
    await made.claim(full, 1);
    await made.claim(open, 1);
    const ids = async (query: string) =>
      (await made.call('GET', `/jobs?companyId=3&${query}`)).body.jobs.map(
        (job: { id: number }) => job.id,
      );
    expect(await ids('status=full')).toEqual([full]);
    expect(await ids('status=open')).toEqual([9, 10, 11, open]);
    expect(await ids('')).toEqual([9, 10, 11, full, open]);
    expect((await made.call('GET', '/jobs?companyId=9000000')).body).toEqual({
      jobs: [],
      nextCursor: null,
    });
  });

  test.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=1&limit=2',
    'cursor=-1',
    'cursor=',
    'cursor=9223372036854775808',
    'status=half',
    'companyId=x',
  ])('is answered 400 for the query %s', async (query) => {
    expect(await made.call('GET', `/jobs?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid-request' },
    });
  });

  test('does not answer for single jobs: /jobs/x gets 400, and an unknown id gets 404', async () => {
    expect((await made.call('GET', '/jobs/x')).status).toBe(400);
    expect(await made.call('GET', '/jobs/9000000')).toMatchObject({
      status: 404,
      body: { code: 'job-not-found' },
    });
  });
});

describe.each([
  ['companies', 'company-not-found'],
  ['recruiters', 'recruiter-not-found'],
])('%s', (name, code) => {
  test('can be added, read and listed page by page', async () => {
    const added = await made.call('POST', `/${name}`, { name: 'Zoë & Söhne' });
    expect(added.status).toBe(201);
    expect(added.headers.get('location')).toBe(`/${name}/${added.body.id}`);
    expect(added.body).toMatchObject({ name: 'Zoë & Söhne' });
    expect((await made.call('GET', `/${name}/${added.body.id}`)).body).toEqual(added.body);
    const page = await made.call('GET', `/${name}?cursor=${added.body.id - 1}&limit=1`);
    expect(page.body).toEqual({ [name]: [added.body], nextCursor: null });
  });

  test('are refused with an invalid name, and not found with an unknown id', async () => {
    for (const body of [{}, { name: '' }, { name: 5 }, { name: 'a\tb' }, { name: 'x', more: 1 }])
      expect(await made.call('POST', `/${name}`, body)).toMatchObject({ status: 400 });
    expect(await made.call('GET', `/${name}/9000000`)).toMatchObject({
      status: 404,
      body: { code },
    });
    expect(await made.call('GET', `/${name}/x`)).toMatchObject({ status: 400 });
  });
});

test.each([
  ['/jobs', 'POST, GET, HEAD'],
  ['/jobs/1', 'GET, HEAD, PATCH'],
  ['/jobs/1/claims', 'POST, GET, HEAD'],
  ['/claims/1', 'GET, HEAD, DELETE'],
  ['/claims/1/renew', 'POST'],
  ['/companies', 'POST, GET, HEAD'],
  ['/recruiters/1/claims', 'GET, HEAD'],
])('%s refuses PUT, and lists the allowed methods: %s', async (path, allow) => {
  const answer = await made.call('PUT', path, {});
  expect(answer).toMatchObject({ status: 405, body: { code: 'method-not-allowed' } });
  expect(answer.headers.get('allow')).toBe(allow);
});
