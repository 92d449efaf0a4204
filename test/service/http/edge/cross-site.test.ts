import { beforeAll, describe, expect, test } from 'vitest';
import { makeApp, makeLab } from '../../../support/app.ts';

const PAGE = 'https://jobs.example';
const HOST = 'localhost:3000';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;

beforeAll(async () => {
  made = await makeApp({ corsOrigins: [PAGE] });
  made.app.route('/lab', makeLab(made));
});

const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  made.app.request(`http://${HOST}${path}`, { method, headers: { Host: HOST, ...headers } });

/** A claim of a job that does not exist. If the service accepts the caller, the answer is 404. */
const CLAIM = '/claim-job?jobId=999999999&recruiterId=1';

describe('a claim by GET', () => {
  test.each<[string, Record<string, string>]>([
    ['a program, which says nothing', {}],
    ['a person who types the address', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }],
    ['our own page', { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors' }],
    ['a link on our own page', { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' }],
    ['our own page in an older browser', { Origin: `http://${HOST}` }],
    ['our own page, where TLS ends before us', { Origin: 'https://jobs.test', Host: 'jobs.test' }],
    ['an allowed page', { Origin: PAGE, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' }],
    ['an allowed page of our site', { Origin: PAGE, 'Sec-Fetch-Site': 'same-site' }],
    ['an allowed page in an older browser', { Origin: PAGE }],
    ['a link on our own page over plain http', { Referer: `http://${HOST}/docs` }],
    ['a link on an allowed page over plain http', { Referer: `${PAGE}/jobs?page=2` }],
    [
      'our own page, at any address',
      { 'Sec-Fetch-Site': 'same-origin', Referer: 'https://evil.example/' },
    ],
  ])('is accepted if it comes from %s', async (_, headers) => {
    const own = await makeApp({
      corsOrigins: [PAGE],
      auth: { kind: 'off' },
      url: made.databaseUrl,
    });
    const response = await own.app.request(`http://${HOST}${CLAIM}`, {
      headers: { Host: HOST, ...headers },
    });
    expect(response.status).toBe(404);
  });

  test.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' }],
    ['another part of our site', { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors' }],
    ['a link on another site', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }],
    ['somewhere not known yet', { 'Sec-Fetch-Site': 'other-planet' }],
    ['an image on another site', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
    ['an image on our own site', { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'no-cors' }],
    [
      'an image on an allowed page',
      { Origin: PAGE, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' },
    ],
    ['another site in an older browser', { Origin: 'https://evil.example' }],
    ['our host at another port', { Origin: 'http://localhost:3001' }],
    ['a name that ours begins', { Origin: `http://${HOST}.evil.example` }],
    ['an allowed page without TLS', { Origin: 'http://jobs.example' }],
    ['a page that hides its origin', { Origin: 'null' }],
    ['a page whose origin is nonsense', { Origin: '://' }],
    ['an image on another site over plain http', { Referer: 'http://evil.example/page' }],
    ['a site that tells of its page its origin alone', { Referer: 'https://evil.example/' }],
    ['a page at another port over plain http', { Referer: 'http://localhost:3001/' }],
    ['a page whose address is nonsense', { Referer: '://' }],
    ['our own address, but another origin', { Origin: PAGE.replace('s:', ':'), Referer: PAGE }],
    ['two origins', { Origin: `${PAGE}, https://evil.example` }],
  ])('is refused if it comes from %s', async (_, headers) => {
    const response = await ask(CLAIM, headers);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'cross-site-refused' });
  });
});

describe('a request from another site', () => {
  const elsewhere = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };

  test.each([
    ['GET', '/claim-job?jobId=1&recruiterId=1'],
    ['POST', '/jobs/1/claims'],
    ['DELETE', '/claims/1'],
    ['POST', '/claims/1/renew'],
    ['POST', '/jobs'],
    ['PATCH', '/jobs/1'],
    ['POST', '/companies'],
    ['POST', '/recruiters'],
    ['GET', '/lab/races/1/claim-job?jobId=1&recruiterId=1'],
    ['POST', '/lab/plays'],
    ['POST', '/lab/races'],
    ['DELETE', '/lab/races/1'],
    ['PUT', '/nowhere'],
  ])('is refused: %s %s', async (method, path) => {
    const response = await ask(path, elsewhere, method);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'cross-site-refused' });
  });

  test('may read an address that only ends with /claim-job', async () => {
    const response = await ask('/companies/claim-job', elsewhere, 'GET');
    expect(await response.json()).toMatchObject({ code: 'invalid-request' });
  });

  test('is refused even if its idempotency key has a stored answer, and does not get this answer', async () => {
    const key = { 'Idempotency-Key': 'from-elsewhere' };
    const path = '/claim-job?jobId=2&recruiterId=1';
    expect((await ask(path, key)).status).toBe(200);
    expect((await ask(path, { ...key, ...elsewhere })).status).toBe(403);
  });

  test.each(['/jobs', '/jobs/1', '/healthz', '/lab/strategies'])(
    'may read, because the browser hides the answer from the page: GET %s',
    async (path) => {
      const response = await ask(path, elsewhere);
      expect(response.status).toBe(200);
      expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
    },
  );
});

describe('a service that is open on loopback', () => {
  const name = (Host: string, path = '/jobs') =>
    made.app.request(`http://localhost${path}`, { headers: { Host } });

  test.each(['localhost', 'LOCALHOST:3000', '127.0.0.1:3000', '127.1.2.3', '[::1]:3000', '[::1]'])(
    'answers to its own name %s',
    async (host) => {
      expect((await name(host)).status).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '0.0.0.0:3000',
    '[::2]',
    '',
    'a b',
    'user@evil.example',
  ])('refuses every route if the Host is %j', async (host) => {
    for (const path of [
      '/jobs',
      '/claim-job?jobId=1&recruiterId=1',
      '/healthz',
      '/nowhere',
      '/lab',
    ]) {
      const response = await name(host, path);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: 'cross-site-refused' });
    }
  });

  test.each([
    { kind: 'off' },
    { kind: 'secret', secret: 'a secret of at least thirty-two bytes' },
  ] as const)('refuses names of hosts, unlike a service with %j', async (auth) => {
    const { app } = await makeApp({ auth, url: made.databaseUrl });
    const response = await app.request('/healthz', { headers: { Host: 'rowlock.example' } });
    expect(response.status).toBe(200);
  });
});
