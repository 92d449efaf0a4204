import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  companies,
  jobClaims,
  jobs,
  recruiters,
  waitlist,
} from '../../../../src/service/database/schema.ts';
import { enqueue } from '../../../../src/service/queue/enqueue.ts';
import { findTask } from '../../../../src/service/queue/queries.ts';
import { tasks } from '../../../../src/service/queue/tables.ts';
import { insertEndpoint } from '../../../../src/service/webhooks/endpoints/endpoints.ts';
import { makeTestDelivery } from '../../../../src/service/webhooks/relay/make-deliveries.ts';
import { deliveries, endpoints } from '../../../../src/service/webhooks/tables.ts';
import { makeApp, makeLab } from '../../../support/app.ts';
import { as, WITH_SECRET } from '../../../support/tokens.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;

beforeAll(async () => {
  made = await makeApp({ auth: WITH_SECRET, changeLimits: { placesPerKey: 1, longest: 0 } });
  made.app.route('/lab', makeLab(made));
});

/** Ids of the demo data. `makeWorld` makes jobs of `COMPANY`, and a claim by `RECRUITER`. */
const [COMPANY, OTHER_COMPANY] = [1n, 2n];
const [RECRUITER, OTHER_RECRUITER] = [7n, 8n];
const ABSENT = 999_999_999n;

const callers = {
  recruiter: () => as('recruiter', `${RECRUITER}`),
  'other recruiter': () => as('recruiter', `${OTHER_RECRUITER}`),
  company: () => as('company', `${COMPANY}`),
  'other company': () => as('company', `${OTHER_COMPANY}`),
  admin: () => as('admin', 'ada'),
};
const callerNames = Object.keys(callers) as (keyof typeof callers)[];

/**
 * Makes a job with a leased claim, a free job, a job with a line, a task, and an endpoint with a
 * delivery.
 */
async function makeWorld() {
  const values = { companyId: COMPANY, role: 'Tester' };
  const [job, free, lined] = await made.db
    .insert(jobs)
    .values([values, values, values])
    .returning();
  if (!job || !free || !lined) throw new Error('no jobs');
  await made.db.insert(waitlist).values({ jobId: lined.id, recruiterId: RECRUITER });
  const expiresAt = new Date(Date.now() + 3_600_000);
  const [claim] = await made.db
    .insert(jobClaims)
    .values({ jobId: job.id, recruiterId: RECRUITER, expiresAt })
    .returning();
  if (!claim) throw new Error('no claim');
  const [task] = await enqueue(made.db, [{ kind: 'test', payload: {}, attempts: 1 }]);
  if (!task) throw new Error('no task');
  const ids = { job: job.id, free: free.id, lined: lined.id, claim: claim.id };
  return { ...ids, task, ...(await makeEndpoint()) };
}

/** Makes the only endpoint of the company, with a delivery. */
const makeEndpoint = () =>
  made.db.transaction(async (tx) => {
    await tx.delete(endpoints);
    const made = await insertEndpoint(tx, COMPANY, { url: ENDPOINT_URL, types: ['job.full'] });
    if (made.kind !== 'created') throw new Error('no endpoint');
    const endpoint = made.endpoint.id;
    return { endpoint, delivery: await makeTestDelivery(tx, endpoint) };
  });
const ENDPOINT_URL = 'http://localhost:4000/webhooks';

type World = Awaited<ReturnType<typeof makeWorld>>;

const TABLES = [jobs, jobClaims, waitlist, companies, recruiters, endpoints, deliveries, tasks];

/** Reads everything that a refused request must not change. */
async function look({ job, claim, task, endpoint, delivery }: World) {
  const ids = [
    [jobs, job],
    [jobClaims, claim],
    [endpoints, endpoint],
    [deliveries, delivery],
  ] as const;
  // One statement for all parts takes a fifth of the time of separate statements.
  const rows = ids.map(([table, id]) => sql`(SELECT to_jsonb(r) FROM ${table} r WHERE id = ${id})`);
  const counts = TABLES.map((table) => sql`(SELECT count(*) FROM ${table})`);
  const parts = sql.join([...rows, ...counts], sql`, `);
  const [state] = await made.db.execute(sql`SELECT jsonb_build_array(${parts}) AS parts`);
  return { ...state, task: await findTask(made.db, task) };
}

async function ask(
  route: string,
  path: string,
  headers: Record<string, string>,
  body?: Record<string, unknown>,
) {
  const [method] = route.split(' ');
  const content = body && { 'Content-Type': 'application/json' };
  const init = { method, headers: { ...headers, ...content } };
  return made.app.request(path, body ? { ...init, body: JSON.stringify(body) } : init);
}

interface Row {
  path: (world: World) => string;
  body?: Record<string, unknown>;
  /** The expected status for each caller, in the order of `callers`. */
  statuses: [number, number, number, number, number];
}

const name = { name: 'Somebody New' };
const table: Record<string, Row> = {
  'GET /claim-job': {
    path: ({ free }) => `/claim-job?jobId=${free}&recruiterId=${RECRUITER}`,
    statuses: [200, 403, 403, 403, 200],
  },
  'POST /jobs/:jobId/claims': {
    path: ({ free }) => `/jobs/${free}/claims`,
    body: { recruiterId: Number(RECRUITER) },
    statuses: [201, 403, 403, 403, 201],
  },
  'GET /jobs/:jobId/claims': {
    path: ({ job }) => `/jobs/${job}/claims`,
    statuses: [403, 403, 200, 403, 200],
  },
  'GET /claims/:id': {
    path: ({ claim }) => `/claims/${claim}`,
    statuses: [200, 404, 200, 404, 200],
  },
  'DELETE /claims/:id': {
    path: ({ claim }) => `/claims/${claim}`,
    statuses: [200, 404, 403, 403, 200],
  },
  'POST /claims/:id/renew': {
    path: ({ claim }) => `/claims/${claim}/renew`,
    body: { leaseSeconds: 60 },
    statuses: [200, 404, 403, 403, 200],
  },
  'POST /claims/:id/accept': {
    path: ({ claim }) => `/claims/${claim}/accept`,
    body: {},
    statuses: [200, 404, 403, 403, 200],
  },
  'POST /jobs/:jobId/waitlist': {
    path: ({ free }) => `/jobs/${free}/waitlist`,
    body: { recruiterId: Number(RECRUITER) },
    statuses: [200, 403, 403, 403, 200],
  },
  'GET /jobs/:jobId/waitlist/:recruiterId': {
    path: ({ lined }) => `/jobs/${lined}/waitlist/${RECRUITER}`,
    statuses: [200, 403, 403, 403, 200],
  },
  'DELETE /jobs/:jobId/waitlist/:recruiterId': {
    path: ({ lined }) => `/jobs/${lined}/waitlist/${RECRUITER}`,
    statuses: [200, 403, 403, 403, 200],
  },
  'GET /recruiters/:id/waitlist': {
    path: () => `/recruiters/${RECRUITER}/waitlist`,
    statuses: [200, 403, 403, 403, 200],
  },
  'GET /jobs/:jobId/waitlist': {
    path: ({ lined }) => `/jobs/${lined}/waitlist`,
    statuses: [403, 403, 200, 403, 200],
  },
  'PATCH /jobs/:jobId/waitlist': {
    path: ({ free }) => `/jobs/${free}/waitlist`,
    body: { longest: 5 },
    statuses: [403, 403, 200, 403, 200],
  },
  'GET /recruiters/:id/claims': {
    path: () => `/recruiters/${RECRUITER}/claims`,
    statuses: [200, 403, 403, 403, 200],
  },
  'POST /jobs': {
    path: () => '/jobs',
    body: { companyId: Number(COMPANY), role: 'Tester' },
    statuses: [403, 403, 201, 403, 201],
  },
  'GET /jobs/events': { path: () => '/jobs/events?jobId=1', statuses: [200, 200, 200, 200, 200] },
  'GET /me/events': {
    path: () => `/me/events?recruiterId=${RECRUITER}`,
    statuses: [200, 403, 403, 403, 200],
  },
  'GET /jobs/:id/events': {
    path: ({ job }) => `/jobs/${job}/events`,
    statuses: [403, 403, 200, 403, 200],
  },
  'GET /jobs': { path: () => '/jobs', statuses: [200, 200, 200, 200, 200] },
  'GET /jobs/:id': { path: ({ job }) => `/jobs/${job}`, statuses: [200, 200, 200, 200, 200] },
  'PATCH /jobs/:id': {
    path: ({ job }) => `/jobs/${job}`,
    body: { role: 'Taster' },
    statuses: [403, 403, 200, 403, 200],
  },
  'POST /companies': { path: () => '/companies', body: name, statuses: [403, 403, 403, 403, 201] },
  'GET /companies': { path: () => '/companies', statuses: [200, 200, 200, 200, 200] },
  'GET /companies/:id': {
    path: () => `/companies/${COMPANY}`,
    statuses: [200, 200, 200, 200, 200],
  },
  'POST /recruiters': {
    path: () => '/recruiters',
    body: name,
    statuses: [403, 403, 403, 403, 201],
  },
  'GET /recruiters': { path: () => '/recruiters', statuses: [403, 403, 200, 200, 200] },
  'GET /recruiters/:id': {
    path: () => `/recruiters/${RECRUITER}`,
    statuses: [200, 403, 200, 200, 200],
  },
  'GET /tasks': { path: () => '/tasks', statuses: [403, 403, 403, 403, 200] },
  'GET /tasks/:id': {
    path: ({ task }) => `/tasks/${task}`,
    statuses: [403, 403, 403, 403, 200],
  },
  'POST /tasks/:id/retry': {
    path: ({ task }) => `/tasks/${task}/retry`,
    statuses: [403, 403, 403, 403, 200],
  },
  'POST /tasks/:id/cancel': {
    path: ({ task }) => `/tasks/${task}/cancel`,
    statuses: [403, 403, 403, 403, 200],
  },
  'GET /workers': { path: () => '/workers', statuses: [403, 403, 403, 403, 200] },
  'POST /companies/:id/endpoints': {
    path: () => `/companies/${COMPANY}/endpoints`,
    body: { url: ENDPOINT_URL },
    statuses: [403, 403, 201, 403, 201],
  },
  'GET /companies/:id/endpoints': {
    path: () => `/companies/${COMPANY}/endpoints`,
    statuses: [403, 403, 200, 403, 200],
  },
  'GET /endpoints/:id': {
    path: ({ endpoint }) => `/endpoints/${endpoint}`,
    statuses: [403, 403, 200, 404, 200],
  },
  'PATCH /endpoints/:id': {
    path: ({ endpoint }) => `/endpoints/${endpoint}`,
    body: { description: 'Ours' },
    statuses: [403, 403, 200, 404, 200],
  },
  'DELETE /endpoints/:id': {
    path: ({ endpoint }) => `/endpoints/${endpoint}`,
    statuses: [403, 403, 200, 404, 200],
  },
  'POST /endpoints/:id/enable': {
    path: ({ endpoint }) => `/endpoints/${endpoint}/enable`,
    statuses: [403, 403, 200, 404, 200],
  },
  'POST /endpoints/:id/disable': {
    path: ({ endpoint }) => `/endpoints/${endpoint}/disable`,
    statuses: [403, 403, 200, 404, 200],
  },
  'POST /endpoints/:id/rotate-secret': {
    path: ({ endpoint }) => `/endpoints/${endpoint}/rotate-secret`,
    statuses: [403, 403, 200, 404, 200],
  },
  'POST /endpoints/:id/test': {
    path: ({ endpoint }) => `/endpoints/${endpoint}/test`,
    statuses: [403, 403, 201, 404, 201],
  },
  'POST /endpoints/:id/resend': {
    path: ({ endpoint }) => `/endpoints/${endpoint}/resend`,
    body: { since: '2026-11-21T09:00:00Z' },
    statuses: [403, 403, 202, 404, 202],
  },
  'GET /endpoints/:id/deliveries': {
    path: ({ endpoint }) => `/endpoints/${endpoint}/deliveries`,
    statuses: [403, 403, 200, 404, 200],
  },
  'GET /deliveries/:id': {
    path: ({ delivery }) => `/deliveries/${delivery}`,
    statuses: [403, 403, 200, 404, 200],
  },
  'POST /deliveries/:id/resend': {
    path: ({ delivery }) => `/deliveries/${delivery}/resend`,
    statuses: [403, 403, 200, 404, 200],
  },
  'GET /metrics': {
    path: () => '/metrics',
    statuses: [403, 403, 403, 403, 200],
  },
  'GET /lab/strategies': {
    path: () => '/lab/strategies',
    statuses: [403, 403, 403, 403, 200],
  },
  'GET /lab/strategies/:name': {
    path: () => '/lab/strategies/row-lock',
    statuses: [403, 403, 403, 403, 200],
  },
  'GET /lab/strategies/:chapter/:name': {
    path: () => '/lab/strategies/claims/row-lock',
    statuses: [403, 403, 403, 403, 200],
  },
  'GET /lab/chapters': {
    path: () => '/lab/chapters',
    statuses: [403, 403, 403, 403, 200],
  },
  'GET /lab/lessons': {
    path: () => '/lab/lessons',
    statuses: [403, 403, 403, 403, 200],
  },
  'GET /lab/explorations': {
    path: () => '/lab/explorations?strategy=hope',
    statuses: [403, 403, 403, 403, 404],
  },
  'GET /lab/sandbox': {
    path: () => '/lab/sandbox',
    statuses: [403, 403, 403, 403, 200],
  },
  'POST /lab/sandbox': {
    path: () => '/lab/sandbox',
    body: {},
    statuses: [403, 403, 403, 403, 400],
  },
  'POST /lab/sandbox/orders': {
    path: () => '/lab/sandbox/orders',
    body: {},
    statuses: [403, 403, 403, 403, 400],
  },
  'GET /lab/scripts': {
    path: () => '/lab/scripts',
    statuses: [403, 403, 403, 403, 200],
  },
  'POST /lab/scripts': {
    path: () => '/lab/scripts',
    body: {},
    statuses: [403, 403, 403, 403, 400],
  },
  'POST /lab/scripts/plays': {
    path: () => '/lab/scripts/plays',
    body: {},
    statuses: [403, 403, 403, 403, 400],
  },
  'POST /lab/rounds': {
    path: () => '/lab/rounds',
    body: { strategies: ['hope'] },
    statuses: [403, 403, 403, 403, 404],
  },
  'POST /lab/plays': {
    path: () => '/lab/plays',
    body: { strategy: 'naive' },
    statuses: [403, 403, 403, 403, 200],
  },
  'POST /lab/races': {
    path: () => '/lab/races',
    body: { strategy: 'hope' },
    statuses: [403, 403, 403, 403, 404],
  },
  'GET /lab/races/:race/claim-job': {
    path: ({ free }) => `/lab/races/${ABSENT}/claim-job?jobId=${free}&recruiterId=${RECRUITER}`,
    statuses: [403, 403, 403, 403, 404],
  },
  'GET /lab/races/:race': {
    path: () => `/lab/races/${ABSENT}`,
    statuses: [403, 403, 403, 403, 404],
  },
  'DELETE /lab/races/:race': {
    path: () => `/lab/races/${ABSENT}`,
    statuses: [403, 403, 403, 403, 404],
  },
};

const OPEN = /^GET \/(healthz|readyz|openapi\.json|docs(\/.*)?|problems(\/:code)?)$/;

test('the table has every route that is not open to all', () => {
  const routes = made.app.routes
    .filter(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !OPEN.test(route));
  expect([...new Set(routes)].sort()).toEqual(Object.keys(table).sort());
});

type Seen = { world: World; before: Awaited<ReturnType<typeof look>> };
let unchanged: Seen | undefined;

/** Returns the last world if refused requests have left it unchanged. Otherwise makes a world. */
async function takeWorld(): Promise<Seen> {
  const left = unchanged;
  unchanged = undefined;
  if (left) return left;
  const world = await makeWorld();
  return { world, before: await look(world) };
}

/** Expects that the refused request has changed nothing. */
async function expectUnchanged({ world, before }: Seen) {
  expect(await look(world)).toEqual(before);
  unchanged = { world, before };
}

describe.each(Object.entries(table))('%s', (route, { path, body, statuses }) => {
  test.each(callerNames.map((caller, i) => [caller, statuses[i]] as const))(
    'answers the %s %i',
    async (caller, status) => {
      const seen = await takeWorld();
      const response = await ask(route, path(seen.world), await callers[caller](), body);
      expect(response.status).toBe(status);
      if (response.ok) return;
      expect(response.headers.get('Content-Type')).toBe('application/problem+json');
      if (status === 403) expect(await response.json()).toMatchObject({ code: 'forbidden' });
      await expectUnchanged(seen);
    },
  );

  test('answers 401 without a token', async () => {
    const seen = await takeWorld();
    expect((await ask(route, path(seen.world), {}, body)).status).toBe(401);
    await expectUnchanged(seen);
  });
});

describe('a caller cannot distinguish a forbidden thing from a missing thing', () => {
  /** Returns the whole answer, except its request id, which differs in each answer. */
  async function wholeOf(response: Response) {
    const headers = [...response.headers].filter(([header]) => header !== 'x-request-id');
    return { status: response.status, headers, body: await response.text() };
  }

  test.each([
    ['GET /claims/:id', 'other recruiter'],
    ['GET /claims/:id', 'other company'],
    ['DELETE /claims/:id', 'other recruiter'],
    ['DELETE /claims/:id', 'company'],
    ['DELETE /claims/:id', 'other company'],
    ['POST /claims/:id/renew', 'other recruiter'],
    ['POST /claims/:id/renew', 'other company'],
    ['GET /endpoints/:id', 'other company'],
    ['PATCH /endpoints/:id', 'other company'],
    ['DELETE /endpoints/:id', 'other company'],
    ['POST /endpoints/:id/enable', 'other company'],
    ['POST /endpoints/:id/disable', 'other company'],
    ['POST /endpoints/:id/rotate-secret', 'other company'],
    ['POST /endpoints/:id/test', 'other company'],
    ['POST /endpoints/:id/resend', 'other company'],
    ['GET /endpoints/:id/deliveries', 'other company'],
    ['GET /deliveries/:id', 'other company'],
    ['POST /deliveries/:id/resend', 'other company'],
  ] as const)('at %s as the %s', async (route, caller) => {
    const { path, body } = table[route] as Row;
    const world = await makeWorld();
    const headers = await callers[caller]();
    const there = await ask(route, path(world), headers, body);
    const nothing = { ...world, claim: ABSENT, endpoint: ABSENT, delivery: ABSENT };
    const absent = await ask(route, path(nothing), headers, body);
    expect(await wholeOf(there)).toEqual(await wholeOf(absent));
    const keyed = (key: string) => ({ ...headers, 'Idempotency-Key': `${key}-${world.claim}` });
    const thereKeyed = await ask(route, path(world), keyed('there'), body);
    const absentKeyed = await ask(route, path(nothing), keyed('absent'), body);
    expect(await wholeOf(thereKeyed)).toEqual(await wholeOf(absentKeyed));
  });

  test.each(['/recruiters/ID', '/recruiters/ID/claims'])(
    'at GET %s as a recruiter',
    async (path) => {
      const headers = await callers['other recruiter']();
      const there = await ask('GET', path.replace('ID', `${RECRUITER}`), headers);
      const absent = await ask('GET', path.replace('ID', `${ABSENT}`), headers);
      expect(await wholeOf(there)).toEqual(await wholeOf(absent));
    },
  );

  test('by renewing a claim without a lease that belongs to another recruiter', async () => {
    const world = await makeWorld();
    await made.db.update(jobClaims).set({ expiresAt: null }).where(eq(jobClaims.id, world.claim));
    const renew = async (caller: 'recruiter' | 'other recruiter') =>
      (
        await ask('POST', `/claims/${world.claim}/renew`, await callers[caller](), {
          leaseSeconds: 9,
        })
      ).status;
    expect(await renew('recruiter')).toBe(409);
    expect(await renew('other recruiter')).toBe(404);
  });

  test('even while the job is busy', async () => {
    const world = await makeWorld();
    const release = async (caller: 'recruiter' | 'other recruiter') =>
      (await ask('DELETE', `/claims/${world.claim}`, await callers[caller]())).status;
    const admin = await callers.admin();
    const waiting = () =>
      made.db.execute(sql`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`);
    const running = await made.db.transaction(async (tx) => {
      await tx.select().from(jobs).where(eq(jobs.id, world.job)).for('update');
      const renewal = { leaseSeconds: 60 };
      const running = ask('POST', `/claims/${world.claim}/renew`, admin, renewal);
      await vi.waitFor(async () => expect(await waiting()).toHaveLength(1));
      expect(await release('recruiter')).toBe(503);
      expect(await release('other recruiter')).toBe(404);
      return { running };
    });
    expect((await running.running).status).toBe(200);
  });
});

describe('an idempotency key', () => {
  const claim = async (headers: Record<string, string>, job: bigint, recruiter: bigint) =>
    ask('GET', `/claim-job?jobId=${job}&recruiterId=${recruiter}`, {
      ...headers,
      'Idempotency-Key': `claim-${job}`,
    });

  test('belongs to its caller, so the same key of another caller belongs to another request', async () => {
    const { free } = await makeWorld();
    const first = await claim(await callers.recruiter(), free, RECRUITER);
    const others = await claim(await callers['other recruiter'](), free, OTHER_RECRUITER);
    expect([first.status, others.status]).toEqual([200, 200]);
    expect(await others.json()).toMatchObject({ claim: { recruiterId: Number(OTHER_RECRUITER) } });
    const again = await claim(await callers.recruiter(), free, RECRUITER);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await again.text()).toBe(await first.text());
  });

  test.each([
    ['an admin', () => as('admin', `${RECRUITER}`), 409],
    ['another recruiter', callers['other recruiter'], 403],
    ['a company with the same id', () => as('company', `${RECRUITER}`), 403],
  ])('does not give its stored answer to %s', async (_, other, status) => {
    const { free } = await makeWorld();
    expect((await claim(await callers.recruiter(), free, RECRUITER)).status).toBe(200);
    const response = await claim(await other(), free, RECRUITER);
    expect(response.status).toBe(status);
    expect(response.headers.has('Idempotent-Replayed')).toBe(false);
  });
});
