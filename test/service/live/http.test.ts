import { eq } from 'drizzle-orm';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { companies, jobClaims, jobs } from '../../../src/service/database/schema.ts';
import { makeApp, makeService } from '../../support/app.ts';
import { type Following, follow, type JobEvent } from '../../support/events.ts';
import { as, WITH_SECRET } from '../../support/tokens.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;

beforeAll(async () => {
  made = await makeApp();
});

const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 20_000 });
const open = (query = '', { app } = made) =>
  follow((init) => app.request(`/jobs/events${query}`, init));

/** Repeats a request while the service answers 503. Expects a success. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check the content of answers.
async function send(method: string, path: string, body?: unknown): Promise<any> {
  const json = { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  for (;;) {
    const response = await made.app.request(path, { method, ...(body !== undefined && json) });
    if (response.status === 503) continue;
    expect(response.status).toBeLessThan(300);
    return response.json();
  }
}

const makeJob = async (values: { companyId?: number; capacity?: number } = {}): Promise<number> =>
  (await send('POST', '/jobs', { companyId: 1, role: 'Tester', ...values })).id;
const claim = (jobId: number, recruiterId: number) =>
  send('POST', `/jobs/${jobId}/claims`, { recruiterId });

const names = ({ events }: Following) => events.map(({ name }) => name);
const jobOf = async (id: number) => (await made.app.request(`/jobs/${id}`)).json();
const about = ({ events }: Following, id: number): JobEvent[] =>
  events.filter(({ data }) => data.id === id);
const tells = (following: Following, id: number, what: Record<string, unknown>) =>
  soon(() => expect(following.latest().get(id)?.data).toMatchObject(what));

describe('a new follower', () => {
  test('gets the full state, in which each job looks as in GET /jobs/{id}', async () => {
    const following = await open();
    expect(following.response.status).toBe(200);
    expect(following.response.headers.get('content-type')).toBe('text/event-stream');
    expect(following.response.headers.get('cache-control')).toBe('no-store');
    expect(following.response.headers.get('x-request-id')).toBeTruthy();
    await following.isComplete();
    expect(following.text()).toMatch(/^retry: [12]\d{3}\n\nevent: begin\n/);
    expect(names(following)).toEqual([
      'begin',
      ...Array(await made.db.$count(jobs)).fill('job'),
      'end',
    ]);
    expect(following.latest().get(3)?.data).toEqual(await jobOf(3));
  });

  test('gets each job exactly once, even if there are more jobs than one statement reads', async () => {
    const [company] = await made.db.insert(companies).values({ name: 'Large' }).returning();
    if (!company) throw new Error('no company');
    const rows = Array.from({ length: 250 }, (_, n) => ({ companyId: company.id, role: `${n}` }));
    await made.db.insert(jobs).values(rows);
    // A new app has no earlier follower, so it sends these jobs only as a part of the full state.
    const following = await open(
      `?companyId=${company.id}`,
      await makeApp({ url: made.databaseUrl }),
    );
    await following.isComplete();
    const told = following.events.filter(({ name }) => name === 'job');
    expect(told.map(({ data }) => data.role)).toEqual(rows.map(({ role }) => role));
  });

  test('gets only begin and end if no job matches', async () => {
    const following = await open('?jobId=987654321');
    await following.isComplete();
    expect(names(following)).toEqual(['begin', 'end']);
  });

  test('gets `too-many-jobs` if the full state would have too many jobs', async () => {
    const [company] = await made.db.insert(companies).values({ name: 'Small' }).returning();
    if (!company) throw new Error('no company');
    const makeJobOf = () => made.db.insert(jobs).values({ companyId: company.id, role: 'Tester' });
    const small = await makeApp({ url: made.databaseUrl, feedLimits: { jobs: 2 } });
    const isRefused = async (query: string) => {
      const response = await small.app.request(`/jobs/events?${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'too-many-jobs' });
    };
    await Promise.all([makeJobOf(), makeJobOf()]);
    await isRefused('');
    const query = `companyId=${company.id}`;
    await (await open(`?${query}`, small)).isComplete();
    await makeJobOf();
    await isRefused(query);
    await (await open('?jobId=1&jobId=2&jobId=3', small)).isComplete();
    await soon(() => expect(small.feed.load().followers).toBe(2));
  });

  test('gets 404 for an unknown company, and does not count as a follower', async () => {
    const before = made.feed.load();
    const response = await made.app.request('/jobs/events?companyId=987654321');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'company-not-found' });
    expect(made.feed.load()).toEqual(before);
  });

  test.each([
    ['jobId=x', 'jobId.0'],
    ['jobId=1&jobId=0', 'jobId.1'],
    ['companyId=-1', 'companyId'],
    [Array.from({ length: 101 }, (_, n) => `jobId=${n + 1}`).join('&'), 'jobId'],
  ])('gets the name of the wrong parameter in the query %.30s', async (query, parameter) => {
    const response = await made.app.request(`/jobs/events?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ parameter }] });
  });
});

describe('a follower gets', () => {
  test('an event about a claim, and an event about its release', async () => {
    const id = await makeJob();
    const following = await open();
    await following.isComplete();
    const made = await claim(id, 1);
    await tells(following, id, { claimed: 1, remaining: 3 });
    expect(following.latest().get(id)?.data).toEqual(await jobOf(id));
    await send('DELETE', `/claims/${made.claim.id}`);
    await tells(following, id, { claimed: 0, remaining: 4 });
  });

  test('a new job, a changed capacity and a changed role', async () => {
    const following = await open();
    await following.isComplete();
    const id = await makeJob({ capacity: 2 });
    await tells(following, id, { capacity: 2 });
    await send('PATCH', `/jobs/${id}`, { capacity: 3 });
    await tells(following, id, { capacity: 3, remaining: 3 });
    await send('PATCH', `/jobs/${id}`, { role: 'Retester' });
    await tells(following, id, { role: 'Retester' });
  });

  test('the removal of a job, if the follower follows this job', async () => {
    const id = await makeJob();
    const [all, mine, other] = await Promise.all([
      open(),
      open(`?companyId=1&jobId=${id}`),
      open('?jobId=1'),
    ]);
    await Promise.all([all, mine, other].map((each) => each.isComplete()));
    await made.db.delete(jobs).where(eq(jobs.id, BigInt(id)));
    for (const each of [all, mine])
      await soon(() => expect(each.latest().get(id)).toEqual({ name: 'gone', data: { id } }));
    await claim(1, 9);
    await tells(other, 1, { claimed: 1 });
    expect(about(other, id)).toEqual([]);
  });

  test('only the jobs of its request', async () => {
    const ids = [await makeJob(), await makeJob({ companyId: 2 }), await makeJob()];
    const [first, second, third] = ids as [number, number, number];
    const some = await open(`?jobId=${first}&jobId=${second}`);
    const ofCompany = await open('?companyId=2');
    const both = await open(`?companyId=2&jobId=${first}&jobId=${second}`);
    for (const each of [some, ofCompany, both]) await each.isComplete();
    // All three clients get the last claim. All other events arrive before this event.
    for (const id of [third, first, second]) await claim(id, 1);
    for (const each of [some, ofCompany, both]) await tells(each, second, { claimed: 1 });
    await tells(some, first, { claimed: 1 });
    expect(new Set(some.latest().keys())).toEqual(new Set([first, second]));
    expect([...ofCompany.latest().values()].map(({ data }) => data.company.id)).not.toContain(1);
    expect(new Set(both.latest().keys())).toEqual(new Set([second]));
  });

  test('the changes that are made through another server', async () => {
    const id = await makeJob({ capacity: 5 });
    const [here, there] = [
      await makeService(made.databaseUrl),
      await makeService(made.databaseUrl),
    ];
    const following = await follow((init) => fetch(`${here.url}/jobs/events?jobId=${id}`, init));
    await following.isComplete();
    const response = await fetch(`${there.url}/claim-job?jobId=${id}&recruiterId=1`);
    expect(response.status).toBe(200);
    await tells(following, id, { claimed: 1 });
    await fetch(`${there.url}/claim-job?jobId=${id}&recruiterId=2`);
    await tells(following, id, { claimed: 2 });
  });
});

test('while many claims are granted, the number of claims of a job never goes down, and the last number is right', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => makeJob({ capacity: 40 })));
  const early = await Promise.all([open(), open(), open('?companyId=1')]);
  const late: Following[] = [];
  const claims = ids.flatMap((id) => Array.from({ length: 40 }, (_, n) => [id, n + 1] as const));
  const storm = claims.map(async ([id, recruiterId], n) => {
    await claim(id, recruiterId);
    // Some clients connect in the middle, so jobs change while these clients get the full state.
    if (n % 20 === 0) late.push(await open());
  });
  await Promise.all(storm);
  for (const following of [...early, ...late]) {
    for (const id of ids) {
      await tells(following, id, { claimed: 40 });
      const counts = about(following, id).map(({ data }) => data.claimed);
      expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    }
  }
  expect(await made.db.$count(jobClaims, eq(jobClaims.jobId, BigInt(ids[0] ?? 0)))).toBe(40);
});

describe('a service with tokens', () => {
  afterEach(() => vi.useRealTimers());
  const openAs = async (guarded: Made, role: string, claims = {}) => {
    const headers = await as(role, '7', claims);
    return follow((init) => guarded.app.request('/jobs/events?jobId=1', { ...init, headers }));
  };

  test('ends a stream when its token expires, and not earlier', async () => {
    const guarded = await makeApp({ url: made.databaseUrl, auth: WITH_SECRET });
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(1_900_000_000_900);
    const exp = 1_900_000_001;
    const long = await openAs(guarded, 'recruiter', { exp: exp + 10 ** 9 });
    const short = await openAs(guarded, 'recruiter', { exp });
    await Promise.all([long.isComplete(), short.isComplete()]);
    expect(await short.ended).toMatch(/\n\n$/);
    expect(guarded.feed.load().followers).toBe(1);
  });

  test('limits the number of streams of each caller, and does not count the streams of other callers', async () => {
    const feedLimits = { followersOfCaller: 2 };
    const guarded = await makeApp({ url: made.databaseUrl, auth: WITH_SECRET, feedLimits });
    const status = async (role: string) => (await openAs(guarded, role)).response.status;
    const first = await openAs(guarded, 'recruiter');
    expect(await status('recruiter')).toBe(200);
    const refused = await openAs(guarded, 'recruiter', { jti: 'another token' });
    expect(refused.response.status).toBe(429);
    expect(refused.response.headers.get('Retry-After')).toBe('1');
    expect(await refused.ended).toContain('too-many-requests');
    expect(await status('company')).toBe(200);
    first.leave();
    await soon(async () => expect(await status('recruiter')).toBe(200));
  });
});

describe('a service without tokens', () => {
  const from = (some: Made, remoteAddress: string) => {
    const env = { incoming: { socket: { remoteAddress } } };
    return follow((init) => some.app.request('/jobs/events?jobId=1', init, env));
  };

  test.each([
    ['10.0.0.1', '::ffff:10.0.0.1', '10.0.0.2'],
    ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:db8:0:1::1'],
  ])('limits the streams of %s together with %s, but not with %s', async (...addresses) => {
    const [one, theSame, another] = addresses;
    const feedLimits = { followersOfNetwork: 2 };
    const some = await makeApp({ url: made.databaseUrl, feedLimits });
    const first = await from(some, one);
    expect((await from(some, theSame)).response.status).toBe(200);
    const refused = await from(some, one);
    expect(refused.response.status).toBe(429);
    expect(refused.response.headers.get('Retry-After')).toBe('1');
    expect(await refused.ended).toContain('too-many-requests');
    expect((await from(some, another)).response.status).toBe(200);
    first.leave();
    await soon(async () => expect((await from(some, theSame)).response.status).toBe(200));
  });
});

describe('a client', () => {
  test('gets heartbeats while no job changes', async () => {
    const quiet = await makeApp({ url: made.databaseUrl, feedLimits: { heartbeatMs: 5 } });
    const following = await open('?jobId=1', quiet);
    await soon(() => expect(following.text()).toMatch(/event: end\n.*\n\n:\n\n:\n\n/));
    expect(quiet.events).toEqual([]);
  });

  test('does not count as a follower after it has disconnected', async () => {
    const before = made.feed.load().followers;
    const following = await Promise.all([open(), open(), open()]);
    expect(made.feed.load().followers).toBe(before + 3);
    for (const each of following) each.leave();
    await soon(() => expect(made.feed.load().followers).toBe(before));
  });

  test('does not count as a follower of a real server after it has disconnected in the middle of the full state', async () => {
    const { url } = await makeService(made.databaseUrl);
    const leaving = new AbortController();
    const request = { signal: leaving.signal };
    // This client reads nothing.
    await fetch(`${url}/jobs/events`, request);
    const following = await follow((init) => fetch(`${url}/jobs/events`, init));
    const followers = async () =>
      (await (await fetch(`${url}/metrics`)).text()).match(/^rowlock_followers (.*)$/m)?.[1];
    await soon(async () => expect(await followers()).toBe('2'));
    leaving.abort();
    await following.isComplete();
    await soon(async () => expect(await followers()).toBe('1'));
  });

  test('gets `busy` if too many clients follow', async () => {
    const small = await makeApp({ url: made.databaseUrl, feedLimits: { followers: 2 } });
    const [first] = await Promise.all([open('', small), open('', small)]);
    const response = await small.app.request('/jobs/events');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ code: 'busy' });
    first.leave();
    await soon(async () => expect((await open('', small)).response.status).toBe(200));
  });

  test('gets only the headers if it sends HEAD, and does not count as a follower', async () => {
    const before = made.feed.load().followers;
    const response = await made.app.request('/jobs/events', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe('');
    expect(made.feed.load().followers).toBe(before);
    const { url } = await makeService(made.databaseUrl);
    expect((await fetch(`${url}/jobs/events`, { method: 'HEAD' })).status).toBe(200);
  });

  test('gets the allowed methods if it uses another method', async () => {
    const response = await made.app.request('/jobs/events', { method: 'DELETE' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });

  test('gets `shutting-down` while the server stops', async () => {
    const stopping = await makeApp({ url: made.databaseUrl });
    const following = await open('', stopping);
    await following.isComplete();
    stopping.feed.close();
    expect(await following.ended).toMatch(/\n\n$/);
    const response = await stopping.app.request('/jobs/events');
    expect(await response.json()).toMatchObject({ status: 503, code: 'shutting-down' });
  });
});
