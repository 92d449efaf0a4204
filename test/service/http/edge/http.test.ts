import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { makeApp } from '../../../support/app.ts';
import { makeDatabase } from '../../../support/database.ts';
import { as, WITH_SECRET } from '../../../support/tokens.ts';

const PAGE = 'https://jobs.example';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
});
type Settings = Parameters<typeof makeApp>[0];
const makeEdge = async (settings: Settings) =>
  (await makeApp({ ...settings, url: databaseUrl })).app;

describe('a preflight', () => {
  const preflight = (Origin: string) => ({
    method: 'OPTIONS',
    headers: {
      Origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
    },
  });

  test('from a page of an allowed origin is answered even without a token', async () => {
    const app = await makeEdge({ corsOrigins: [PAGE], auth: WITH_SECRET });
    for (const path of ['/jobs/1/claims', '/claim-job']) {
      const response = await app.request(path, preflight(PAGE));
      expect(response.status).toBe(204);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': 'GET,HEAD,POST,PATCH,DELETE',
        'access-control-allow-headers': 'Authorization,Content-Type,Idempotency-Key,X-Request-Id',
        'access-control-max-age': '600',
        vary: expect.stringContaining('Origin'),
      });
      expect(response.headers.has('Access-Control-Allow-Credentials')).toBe(false);
    }
  });

  test('from a page of another origin gets no permission', async () => {
    for (const corsOrigins of [[PAGE], []]) {
      const app = await makeEdge({ corsOrigins });
      const response = await app.request('/jobs/1/claims', preflight('https://evil.example'));
      expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
    }
  });

  test('has a preflight header, and an OPTIONS request without this header gets 405 with the allowed methods', async () => {
    for (const corsOrigins of [[PAGE], []]) {
      const app = await makeEdge({ corsOrigins });
      const response = await app.request('/jobs', { method: 'OPTIONS', headers: { Origin: PAGE } });
      expect(response.status).toBe(405);
      expect(response.headers.get('Allow')).toBe('POST, GET, HEAD');
    }
  });
});

test('an allowed page may read every answer and its headers', async () => {
  const app = await makeEdge({ corsOrigins: [PAGE], auth: WITH_SECRET });
  const admin = await as('admin', 'ada');
  const asked = [
    ['/jobs', admin, 200],
    ['/jobs/999999999', admin, 404],
    ['/jobs?limit=x', admin, 400],
    ['/jobs', {}, 401],
    ['/nowhere', admin, 404],
  ] as const;
  for (const [path, headers, status] of asked) {
    const response = await app.request(path, { headers: { ...headers, Origin: PAGE } });
    expect(response.status).toBe(status);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(PAGE);
    expect(response.headers.get('Access-Control-Expose-Headers')).toBe(
      'Location,Retry-After,X-Request-Id,Idempotent-Replayed,RateLimit,RateLimit-Policy,Date',
    );
    expect(response.headers.get('Vary')).toBe('Origin');
  }
});

describe('every answer', () => {
  test.each(['/jobs', '/jobs/999999999', '/nowhere', '/healthz', '/claim-job'])(
    'has headers that make a browser treat the answer as data: %s',
    async (path) => {
      const { headers } = await (await makeEdge({})).request(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers.has('Strict-Transport-Security')).toBe(false);
    },
  );

  test('can have its own security policy', async () => {
    const app = await makeEdge({});
    const policy = "default-src 'self'";
    app.get('/page', (c) => c.html('', 200, { 'Content-Security-Policy': policy }));
    const response = await app.request('/page');
    expect(response.headers.get('Content-Security-Policy')).toBe(policy);
  });
});

describe('the rate limit', () => {
  afterEach(() => vi.useRealTimers());
  const makeLimited = () => makeEdge({ auth: WITH_SECRET, rateLimit: 2 });

  test('refuses a caller until the minute is over, and Retry-After gives the rest of the minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const app = await makeLimited();
    const headers = await as('recruiter', '7');
    const ask = async () => app.request('/jobs/999999999', { headers });
    const first = await ask();
    expect(first.headers.get('RateLimit')).toBe('limit=2, remaining=1, reset=60');
    expect(first.headers.get('RateLimit-Policy')).toBe('2;w=60');
    expect(first.headers.has('Retry-After')).toBe(false);
    vi.setSystemTime(Date.now() + 20_000);
    expect((await ask()).status).toBe(404);
    const third = await ask();
    expect(third.status).toBe(429);
    expect(third.headers.get('Content-Type')).toBe('application/problem+json');
    expect(third.headers.get('Retry-After')).toBe('40');
    expect(third.headers.get('RateLimit')).toBe('limit=2, remaining=0, reset=40');
    expect(await third.json()).toMatchObject({ status: 429, code: 'too-many-requests' });
    vi.setSystemTime(Date.now() + 40_000);
    expect((await ask()).status).toBe(404);
  });

  test('counts the requests of each caller separately, and all tokens of a caller together', async () => {
    const app = await makeLimited();
    const status = async (role: string, claims = {}) =>
      (await app.request('/jobs', { headers: await as(role, '7', claims) })).status;
    expect([await status('recruiter'), await status('recruiter')]).toEqual([200, 200]);
    expect(await status('recruiter', { jti: 'another token' })).toBe(429);
    expect(await status('company')).toBe(200);
    expect(await status('admin')).toBe(200);
  });

  test('refuses a claim before anything is claimed', async () => {
    const app = await makeLimited();
    const headers = await as('recruiter', '7');
    const claim = async (job: number) =>
      (await app.request(`/claim-job?jobId=${job}&recruiterId=7`, { headers })).status;
    expect([await claim(1), await claim(2), await claim(3)]).toEqual([200, 200, 429]);
    const admin = await as('admin', 'ada');
    const job = await app.request('/jobs/3', { headers: admin });
    expect(await job.json()).toMatchObject({ claimed: 0 });
  });

  test('does not apply to health checks, metrics and documentation', async () => {
    const app = await makeLimited();
    const headers = await as('admin', 'ada');
    const status = async (path: string) => (await app.request(path, { headers })).status;
    expect([await status('/jobs'), await status('/jobs'), await status('/jobs')]).toEqual([
      200, 200, 429,
    ]);
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'])
      expect(await status(path)).toBe(200);
    expect(await status('/docs/nowhere')).toBe(404);
  });

  test('does not exist if the settings give no limit', async () => {
    const app = await makeEdge({});
    const response = await app.request('/jobs');
    expect(response.headers.has('RateLimit')).toBe(false);
  });
});
