import fc from 'fast-check';
import { expect } from 'vitest';
import { FILES_AT } from '../../src/service/http/docs/page.ts';
import { makeApp } from './app.ts';
import { as, bearer, inSeconds, WITH_SECRET } from './tokens.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;
/** A second app on the same database. This app requires tokens. */
let guarded: Made;
/** The `Authorization` headers of the callers of `guarded`: none, garbage, or a token. */
let credentials: Record<string, string>[];

/** Makes both apps. The rate limit is `requests`, so no request exceeds the limit. */
async function begin(requests: number) {
  made = await makeApp();
  guarded = await makeApp({ url: made.databaseUrl, auth: WITH_SECRET, rateLimit: requests });
  await made.call('POST', '/companies/1/endpoints', { url: 'http://localhost/webhooks' });
  credentials = [
    {},
    bearer('garbage'),
    await as('recruiter', '7', AN_HOUR),
    await as('company', '1', AN_HOUR),
    await as('admin', 'ada', AN_HOUR),
    await as('admin', 'grace', AN_HOUR),
  ];
}

const AN_HOUR = { exp: inSeconds(3_600) };
const AT_ONCE = 20;

const nasty = fc.constantFrom(
  ...['', ' ', '0', '-1', '1e9', '1.5', 'null', 'NaN', '0x10', "1' OR '1'='1", '1;DROP TABLE jobs'],
  ...['9223372036854775807', '9223372036854775808', '9'.repeat(500), '%', '%00', '%zz', '../..'],
  ...[
    '\u0000',
    '\ud800',
    '😀',
    'ﷺ'.repeat(50),
    '__proto__',
    'constructor',
    '{}',
    '[]',
    '$1',
    '#{x}',
  ],
);
const smallId = fc.integer({ min: 1, max: 30 }).map(String);
const id = fc.oneof({ weight: 4, arbitrary: smallId }, nasty, fc.string());
const encoded = (text: string) => {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ED%A0%80';
  }
};

const routes = () => {
  const paths = made.app.routes
    .map(({ path }) => path)
    // The files of the documentation page never change, and they are larger than all other answers.
    .filter((path) => !path.includes('*') && !path.startsWith(FILES_AT));
  return [...new Set(paths)];
};

const mostlyNone = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, arbitrary);

/** Texts before and after the address of a route. The results are addresses without a route. */
const before = fc.constantFrom('', '/', '/docs', '/lab', '/lab/races/x', '/x', '/%2f', '/.');
const after = fc.constantFrom('', '/', '//', '/x', '/claim-job', '%2f', ';', '%zz');

const address = fc
  .record({
    route: fc.nat(),
    ids: fc.array(id, { minLength: 3, maxLength: 3 }),
    raw: fc.boolean(),
    around: mostlyNone(fc.tuple(before, after)),
    claim: fc.option(fc.tuple(smallId, smallId)),
    query: fc.array(
      fc.tuple(
        fc.constantFrom(
          'jobId',
          'recruiterId',
          'limit',
          'cursor',
          'status',
          'companyId',
          '__proto__',
        ),
        fc.oneof(id, fc.constantFrom('open', 'full', 'waiting', 'failed')),
      ),
      { maxLength: 4 },
    ),
  })
  .map(({ route, ids, raw, around, claim, query }) => {
    if (claim) return `/claim-job?jobId=${claim[0]}&recruiterId=${claim[1]}`;
    const known = routes();
    const write = raw ? (text: string) => text.replaceAll(/[^!-~]|[?#]/g, '') : encoded;
    let next = 0;
    const path = (known[route % known.length] ?? '/').replaceAll(/:\w+(\{[^}]*\})?/g, () =>
      write(ids[next++] ?? ''),
    );
    const [prefix, suffix] = around ?? ['', ''];
    return `${prefix}${path}${suffix}?${query.map(([name, value]) => `${name}=${write(value)}`).join('&')}`;
  });

const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer({ min: -5, max: 3_000 }),
  smallId,
  nasty,
  fc.jsonValue({ maxDepth: 3 }),
);
const json = fc
  .dictionary(
    fc.constantFrom(
      ...['recruiterId', 'leaseSeconds', 'companyId', 'role', 'capacity', 'name', '__proto__', 'x'],
      ...['url', 'types', 'description', 'since'],
    ),
    value,
    { maxKeys: 4 },
  )
  .map((body) => JSON.stringify(body));
/** Valid bodies. They make rows that the hostile requests can find later. */
const sensible = fc
  .tuple(fc.integer({ min: 1, max: 30 }), fc.nat({ max: 8 }))
  .map(
    ([n, kind]) =>
      [
        { recruiterId: n },
        { recruiterId: n, leaseSeconds: 60 },
        { companyId: 1, role: 'Gardener', capacity: n },
        { name: `Name ${n}` },
        { leaseSeconds: n },
        { capacity: n },
        { url: `http://localhost:${n}/webhooks`, types: ['job.full'] },
        { description: `Number ${n}` },
        { since: `2026-11-${String(n).padStart(2, '0')}T00:00:00Z` },
      ][kind],
  )
  .map((body) => JSON.stringify(body));
const body = fc.oneof(
  { weight: 12, arbitrary: sensible },
  { weight: 6, arbitrary: json },
  fc.json(),
  fc.string({ maxLength: 200 }),
  fc.constantFrom('', '{', '[[[[', '{"role":"\\ud800"}', '{"a":1e999}', `"${'x'.repeat(11_000)}"`),
  fc.constant('['.repeat(5_000)),
);
const headers = fc.record(
  {
    'Content-Type': fc.constantFrom(
      ...Array<string>(20).fill('application/json'),
      ...[
        'application/json',
        'application/json; charset=utf-7',
        'text/plain',
        'x',
        'multipart/form-data',
      ],
    ),
    'Idempotency-Key': fc.oneof(
      fc.constantFrom('a', '"a"', '"', '', 'a, b', 'x'.repeat(300)),
      fc.uuid(),
    ),
    // Most requests omit the next headers, since few writes with such headers are accepted.
    Origin: mostlyNone(fc.constantFrom('null', 'http://localhost', 'https://evil.example', '://')),
    Referer: mostlyNone(fc.constantFrom('http://localhost/', 'https://evil.example/', '://', 'x')),
    'Sec-Fetch-Site': mostlyNone(fc.constantFrom('none', 'cross-site', 'same-origin', 'x')),
    'Sec-Fetch-Mode': mostlyNone(fc.constantFrom('navigate', 'no-cors', 'cors', 'x')),
    Authorization: fc.constantFrom('Bearer x', 'Basic eDp5', 'Bearer ', 'x'.repeat(5_000)),
    'X-Request-Id': fc.constantFrom('ok', 'x'.repeat(5_000), '<script>'),
    Accept: fc.constantFrom('*/*', 'text/html', ''),
  },
  { requiredKeys: [] },
);
/** Requests that the service accepts. */
const wellMeant = fc
  .constantFrom(
    { address: '/jobs', body: { companyId: 1, role: 'Gardener' } },
    { address: '/endpoints/1/resend', body: { since: '2026-11-21T00:00:00Z' } },
  )
  .map(({ address, body }) => ({
    method: 'POST' as const,
    address,
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
    caller: null,
  }));
const malicious = fc.record({
  method: fc.constantFrom(
    'GET',
    'GET',
    'POST',
    'POST',
    'PATCH',
    'DELETE',
    'PUT',
    'HEAD',
    'OPTIONS',
  ),
  address,
  body,
  headers,
  /** The caller of `guarded`. Without a caller, the request goes to the app without tokens. */
  caller: fc.option(fc.nat({ max: 5 }), { freq: 2 }),
});
const hostile = fc.oneof({ weight: 99, arbitrary: malicious }, wellMeant);
type Hostile = typeof malicious extends fc.Arbitrary<infer T> ? T : never;

async function ask({ method, address, body, headers, caller }: Hostile): Promise<number> {
  const bodiless = method === 'GET' || method === 'HEAD';
  const given = Object.fromEntries(
    Object.entries(headers).filter(([, text]) => text !== undefined),
  );
  const { app } = caller === null ? made : guarded;
  const response = await app.request(
    new Request(`http://localhost${address}`, {
      method,
      headers: { ...given, ...(caller !== null && credentials[caller]) } as Record<string, string>,
      ...(!bodiless && { body }),
    }),
  );
  if (response.headers.get('Content-Type') === 'text/event-stream') return leave(response);
  const text = await response.text();
  if (text.length > 500_000) throw new Error(`${address} answers ${text.length} characters`);
  return response.status;
}

/** Closes a stream before its end, since the stream would never end. */
async function leave(response: Response): Promise<number> {
  await response.body?.cancel();
  return response.status;
}

const show = (value: unknown) => JSON.stringify(value).slice(0, 2_000);

const logged = () => [...made.events, ...guarded.events];

/**
 * Sends this many hostile requests. Asserts that no request gets a 5xx, and that the log stays
 * empty. Returns the statuses of the answers, which tell how much of the service the requests
 * reach.
 */
export async function sendHostile(requests: number, onSent: (sent: number) => void = () => {}) {
  await begin(requests);
  const samples = fc.sample(hostile, { numRuns: requests });
  const statuses: Record<number, number> = {};
  for (let sent = 0; sent < requests; sent += AT_ONCE) {
    const some = samples.splice(0, AT_ONCE);
    const answers = await Promise.all(some.map(ask));
    for (const [index, status] of answers.entries()) {
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status >= 500)
        throw new Error(`${status} to ${show(some[index])}, logged ${show(logged())}`);
    }
    // `splice` removes the sent requests from `samples`, so their memory is free at the end.
    onSent(sent);
  }
  expect(logged()).toEqual([]);
  await expect.poll(() => [made, guarded].map(({ feed }) => feed.load().followers)).toEqual([0, 0]);
  return new Set(Object.keys(statuses).map(Number));
}
