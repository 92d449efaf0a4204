import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { TokenLimit } from '../../../../src/service/http/auth/token-limit.ts';
import { createMetrics } from '../../../../src/service/operation/metrics.ts';
import { createWorkerApp } from '../../../../src/service/program/worker-service.ts';
import { collectLog, makeApp } from '../../../support/app.ts';
import { makeDatabase } from '../../../support/database.ts';
import {
  as,
  bearer,
  inSeconds,
  payloadOf,
  signedWith,
  WITH_SECRET,
} from '../../../support/tokens.ts';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const METRICS_TOKEN = 'a token of Prometheus';

/** Makes a service that checks two invalid tokens a minute from each network. */
async function makeLimited(rateLimit = 2) {
  const made = await makeApp({
    ...{ auth: WITH_SECRET, metricsToken: METRICS_TOKEN, rateLimit, url: databaseUrl },
    openPages: ['/company'],
  });
  const ask = (headers: Record<string, string>, remoteAddress = '10.0.0.1', path = '/jobs') =>
    made.app.request(path, { headers }, { incoming: { socket: { remoteAddress } } });
  const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;
  const checks = () => made.details.filter(({ event }) => event === 'token refused').length;
  return { ...made, ask, status, checks };
}

/** Makes a new token with a wrong signature. */
const invalid = async (address?: string): Promise<[Record<string, string>, string?]> => [
  bearer(
    await signedWith(
      'another secret of at least 32 bytes',
      payloadOf('admin', crypto.randomUUID()),
    ),
  ),
  address,
];

describe('the limit of invalid tokens', () => {
  test('refuses further tokens of a network without checking their signatures, and Retry-After gives the wait', async () => {
    const { ask, status, checks } = await makeLimited();
    expect([await status(...(await invalid())), await status(...(await invalid()))]).toEqual([
      401, 401,
    ]);
    const third = await ask(...(await invalid()));
    expect([third.status, checks()]).toEqual([429, 2]);
    expect(third.headers.get('Retry-After')).toBe('30');
    expect(await third.json()).toMatchObject({ code: 'too-many-requests' });
    vi.advanceTimersByTime(30_000);
    expect([await status(...(await invalid())), await status(...(await invalid()))]).toEqual([
      401, 429,
    ]);
    expect(checks()).toBe(3);
  });

  test('checks 1,200 of 1,400 tokens that are forged or garbled', async () => {
    const { status, checks } = await makeLimited(1_200);
    const [headers] = await invalid();
    const statuses = { 401: 0, 429: 0 } as Record<number, number>;
    for (let i = 0; i < 1_400; i++) {
      const answer = await status(i % 2 ? headers : bearer(`garbage ${i}`));
      statuses[answer] = (statuses[answer] ?? 0) + 1;
    }
    expect([statuses, checks()]).toEqual([{ 401: 1_200, 429: 200 }, 1_200]);
  });

  test('does not apply to a known valid token, even from the same network', async () => {
    const { status } = await makeLimited();
    const known = await as('recruiter', '7');
    expect(await status(known)).toBe(200);
    for (let i = 0; i < 3; i++) await status(...(await invalid()));
    expect(await status(...(await invalid()))).toBe(429);
    expect(await status(known)).toBe(200);
  });

  test('accepts a new valid token as soon as the network may send one more token', async () => {
    const { status } = await makeLimited();
    for (let i = 0; i < 2; i++) await status(...(await invalid()));
    const fresh = await as('recruiter', '7');
    expect(await status(fresh)).toBe(429);
    vi.advanceTimersByTime(30_000);
    expect(await status(fresh)).toBe(200);
    expect(await status(...(await invalid()))).toBe(401);
    expect(await status(fresh)).toBe(200);
  });

  test.each([
    ['10.0.0.1', '::ffff:10.0.0.1', '10.0.0.2'],
    ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:db8:0:1::1'],
  ])('counts %s together with %s, but not with %s', async (one, theSame, another) => {
    const { status } = await makeLimited();
    for (const each of [one, theSame]) expect(await status(...(await invalid(each)))).toBe(401);
    expect(await status(...(await invalid(one)))).toBe(429);
    expect(await status(...(await invalid(another)))).toBe(401);
  });

  test('forgets a token that is not valid any more', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const { status } = await makeLimited();
    const short = await as('recruiter', '7', { exp: inSeconds(5) });
    expect(await status(short)).toBe(200);
    vi.advanceTimersByTime(6_000);
    expect([await status(short), await status(short), await status(short)]).toEqual([
      401, 401, 429,
    ]);
  });

  test('applies neither to open paths nor to the token of the metrics', async () => {
    const { status } = await makeLimited();
    for (let i = 0; i < 3; i++) await status(...(await invalid()));
    const [headers] = await invalid();
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs'])
      expect(await status(headers, undefined, path)).toBe(200);
    expect(await status(bearer(METRICS_TOKEN), undefined, '/metrics')).toBe(200);
    expect(await status(headers, undefined, '/metrics')).toBe(429);
    expect(await status({})).toBe(401);
  });

  test('also applies to a worker process without the service', async () => {
    const { db } = await makeLimited();
    const app = createWorkerApp({
      ...{ db, log: collectLog().log, auth: WITH_SECRET, rateLimit: 1, metrics: createMetrics() },
      isDraining: () => false,
      isAbleToRenew: () => true,
    });
    const status = async () => {
      const [headers] = await invalid();
      return (await app.request('/metrics', { headers })).status;
    };
    expect([await status(), await status()]).toEqual([401, 429]);
  });

  test('does not exist with RATE_LIMIT=0', async () => {
    const { status } = await makeLimited(0);
    for (let i = 0; i < 5; i++) expect(await status(...(await invalid()))).toBe(401);
  });

  test.each([1, 7, 1_200])('of %s a minute lets nobody wait for more than a minute', (aMinute) => {
    const limit = new TokenLimit(aMinute, () => 1_000);
    for (let i = 0; i < 10_000; i++) limit.noteInvalid('10.0.0.1', `${i}`);
    expect(limit.waitOf('10.0.0.1', 'new')).toBe(60);
  });

  test('remembers no more than 10,000 networks', () => {
    const limit = new TokenLimit(1, () => 1_000);
    const last = 10_000;
    for (let i = 0; i <= last; i++) limit.noteInvalid(`${i}`, 'any');
    expect([0, 1, last].map((network) => limit.waitOf(`${network}`, 'new'))).toEqual([0, 60, 60]);
  });

  test('remembers no more than 10,000 tokens', () => {
    const limit = new TokenLimit(1, () => 1_000);
    for (let i = 0; i <= 10_000; i++) limit.noteValid(`${i}`);
    limit.noteInvalid('a', 'any');
    expect([0, 1, 10_000].map((token) => limit.waitOf('a', `${token}`))).toEqual([60, 0, 0]);
  });
});
