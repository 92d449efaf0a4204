import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import postgres from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import type { Service } from '../../../../src/service/program/service.ts';
import { collectLog, makeService } from '../../../support/app.ts';
import { makeDatabase } from '../../../support/database.ts';

/** The tests use a real socket, because only then Node's own response has the common headers. */
let service: Service;
beforeAll(async () => {
  const url = await makeDatabase();
  const { log } = collectLog();
  service = await makeService(url, { corsOrigins: ['https://jobs.example'], log });
  // Without this column, a request fails with an unexpected error.
  const sql = postgres(url, { max: 1 });
  await sql`ALTER TABLE recruiters RENAME COLUMN name TO hidden`;
  await sql.end();
});

/** Returns the status and the headers of an answer. A header that came twice is listed twice. */
async function headOf(path: string, options: RequestOptions = {}, body = '') {
  const asked = request(service.url + path, { agent: false, ...options }).end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.destroy();
  const { statusCode: status, rawHeaders } = answer;
  const headers: Record<string, string[]> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    headers[name] = [...(headers[name] ?? []), rawHeaders[at + 1] ?? ''];
  }
  return { status, headers };
}

const OF_DATA = "default-src 'none'; frame-ancestors 'none'";
const asPage = { Accept: 'text/html' };
const asJson = { 'Content-Type': 'application/json' };

/** The headers that each answer has exactly once, with their values. */
const everywhere = {
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

test.each<[number, string, RequestOptions?, string?]>([
  [200, '/healthz'],
  [200, '/jobs'],
  [200, '/jobs', { method: 'HEAD' }],
  [200, '/jobs/events'],
  [200, '/jobs/events', { method: 'HEAD' }],
  [200, '/metrics'],
  [201, '/jobs', { method: 'POST', headers: asJson }, '{"companyId": 1, "role": "Gardener"}'],
  [204, '/jobs', preflight('https://jobs.example')],
  [400, '/jobs?limit=x'],
  [403, '/jobs', { headers: { Host: 'jobs.example' } }],
  [403, '/jobs', { method: 'POST', headers: { ...asJson, Origin: 'https://evil.example' } }, '{}'],
  [404, '/jobs/999999999'],
  [404, '/nowhere'],
  [404, '/nowhere', { method: 'HEAD' }],
  [405, '/claim-job', { method: 'HEAD' }],
  [405, '/jobs', { method: 'PROPFIND' }],
  [413, '/jobs', { method: 'POST', headers: asJson }, 'x'.repeat(20_000)],
  [415, '/jobs', { method: 'POST' }, '{}'],
  [500, '/recruiters'],
  [200, '/lab/strategies'],
  [404, '/lab/strategies/hope'],
])('the answer %i to %s has each common header once: %j', async (status, path, options, body) => {
  const head = await headOf(path, options, body);
  expect(head.status).toBe(status);
  for (const [name, value] of Object.entries({
    ...everywhere,
    'content-security-policy': OF_DATA,
  }))
    expect(head.headers[name], name).toEqual([value]);
  expect(head.headers['cache-control']).toEqual(['no-store']);
  expect(head.headers['x-request-id']).toEqual([expect.stringMatching(/^[\w-]{36}$/)]);
});

function preflight(Origin: string): RequestOptions {
  return { method: 'OPTIONS', headers: { Origin, 'Access-Control-Request-Method': 'POST' } };
}

test.each(['/', '/lab', '/docs'])(
  'the page %s has its own security policy once, also in the answer 304',
  async (path) => {
    const sent = await headOf(path, { headers: asPage });
    expect(sent.status).toBe(200);
    const [etag = ''] = sent.headers.etag ?? [];
    const again = await headOf(path, { headers: { ...asPage, 'If-None-Match': etag } });
    expect(again.status).toBe(304);
    for (const { headers } of [sent, again]) {
      expect(headers).toMatchObject(
        Object.fromEntries(Object.entries(everywhere).map(([name, value]) => [name, [value]])),
      );
      expect(headers['content-security-policy']).toEqual([expect.stringContaining("'self'")]);
      expect(headers['cache-control']).toEqual(['no-cache']);
      expect(headers['x-request-id']).toHaveLength(1);
    }
    expect(again.headers['content-security-policy']).toEqual(
      sent.headers['content-security-policy'],
    );
  },
);

test('an answer has the X-Request-Id of its request if this id is valid', async () => {
  const named = async (id: string) =>
    (await headOf('/healthz', { headers: { 'X-Request-Id': id } })).headers['x-request-id'];
  expect(await named('mine')).toEqual(['mine']);
  expect(await named('<script>')).toEqual([expect.stringMatching(/^[\w-]{36}$/)]);
});
