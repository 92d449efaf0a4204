import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { pausedLanes } from '../../../../src/service/queue/tables.ts';
import { MOST_ENDPOINTS } from '../../../../src/service/webhooks/endpoints/endpoints.ts';
import { endpoints, messageTypes } from '../../../../src/service/webhooks/tables.ts';
import { makeApp } from '../../../support/app.ts';
import { endpointsOf, URL_OF_TESTS } from '../../../support/endpoints.ts';

const { db, call, databaseUrl } = await makeApp();
const { makeCompany, create, makeEndpoint } = endpointsOf({ db, call });

describe('an endpoint', () => {
  test('gets all types by default, and a secret that no other answer shows', async () => {
    const companyId = await makeCompany();
    const { status, headers, body } = await create(companyId);
    expect(status).toBe(201);
    expect(headers.get('Location')).toBe(`/endpoints/${body.id}`);
    expect(body).toMatchObject({
      companyId: Number(companyId),
      url: URL_OF_TESTS,
      types: [...messageTypes],
      description: '',
      enabled: true,
      disabledBecause: null,
      failingSince: null,
      disablesAt: null,
      pausedUntil: null,
      oldSecretUntil: null,
      secret: expect.stringMatching(/^whsec_/),
    });
    const { secret, ...shown } = body;
    expect((await call('GET', `/endpoints/${body.id}`)).body).toEqual(shown);
    const list = await call('GET', `/companies/${companyId}/endpoints`);
    expect(list.body).toEqual({ endpoints: [shown], nextCursor: null });
    const changed = await call('PATCH', `/endpoints/${body.id}`, { types: ['job.full'] });
    expect(changed.body).toEqual({ ...shown, types: ['job.full'] });
  });

  test('can be changed and deleted', async () => {
    const { id, body } = await makeEndpoint({ description: 'Ours' });
    const change = { url: 'http://127.0.0.1:4001/', types: ['job.open'], description: '' };
    const changed = await call('PATCH', `/endpoints/${id}`, change);
    expect(changed.body).toMatchObject({ id, ...change });
    expect((await call('DELETE', `/endpoints/${id}`)).body).toEqual(changed.body);
    const gone = await call('GET', `/endpoints/${id}`);
    expect([gone.status, gone.body.code]).toEqual([404, 'endpoint-not-found']);
    expect(body.description).toBe('Ours');
  });

  const UNPRINTABLE = 'must have no spaces and no control characters';
  const longUrl = `http://localhost/${'x'.repeat(2_000)}`;
  test.each([
    [{ url: undefined }, 'url', 'is missing'],
    [{ url: 'ftp://localhost/' }, 'url', 'The URL must begin with https.'],
    [
      { url: 'http://93.184.216.34/' },
      'url',
      expect.stringContaining('must begin with https, unless'),
    ],
    [{ url: 'nonsense' }, 'url', 'The URL is malformed.'],
    [{ url: 'https://10.0.0.1/' }, 'url', expect.stringContaining('public addresses')],
    [{ url: 'http://localhost/\0' }, 'url', UNPRINTABLE],
    [{ url: 'http://localhost/\ud800' }, 'url', UNPRINTABLE],
    [{ url: ' http://localhost/\n' }, 'url', UNPRINTABLE],
    [{ url: longUrl }, 'url', 'must have at most 2000 characters'],
    [{ types: [] }, 'types', expect.stringContaining('claim.created')],
    [{ types: 'job.open' }, 'types', expect.stringContaining('must be a list')],
    [{ types: ['job.fall'] }, 'types.0', expect.stringMatching(/^must be one of .*job\.full/)],
    [{ types: ['job.full', 'job.full'] }, 'types', 'must name each type once'],
    [{ description: 'a\nb' }, 'description', expect.stringContaining('one line')],
  ])('is refused with %.60j', async (more, parameter, detail) => {
    const companyId = await makeCompany();
    const { status, body } = await create(companyId, more);
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ parameter, detail }]);
    expect(await db.$count(endpoints, eq(endpoints.companyId, companyId))).toBe(0);
  });

  test('may be on this machine only if the setting allows it', async () => {
    const { call: callElsewhere } = await makeApp({ url: databaseUrl, webhookLoopback: false });
    const { id, companyId } = await makeEndpoint();
    const body = { url: 'https://localhost/' };
    expect((await callElsewhere('PATCH', `/endpoints/${id}`, body)).status).toBe(400);
    expect((await callElsewhere('POST', `/companies/${companyId}/endpoints`, body)).status).toBe(
      400,
    );
  });

  test('of a company that does not exist is refused', async () => {
    const { status, body } = await create(999_999n);
    expect([status, body.code]).toEqual([404, 'company-not-found']);
    expect((await call('GET', '/companies/999999/endpoints')).status).toBe(404);
  });

  test('that fails shows the time of its first failure, and the time after which a failure disables it', async () => {
    const { id } = await makeEndpoint();
    await db
      .update(endpoints)
      .set({ failingSince: new Date('2026-11-21T09:00:00Z') })
      .where(eq(endpoints.id, BigInt(id)));
    expect((await call('GET', `/endpoints/${id}`)).body).toMatchObject({
      failingSince: '2026-11-21T09:00:00.000Z',
      disablesAt: '2026-11-26T09:00:00.000Z',
    });
    const changed = await call('PATCH', `/endpoints/${id}`, { description: 'x' });
    expect(changed.body.failingSince).not.toBeNull();
    const moved = await call('PATCH', `/endpoints/${id}`, { url: 'http://localhost:1/' });
    expect(moved.body).toMatchObject({ failingSince: null, disablesAt: null });
  });

  test('pauses until it has a new address or is enabled', async () => {
    const { id } = await makeEndpoint();
    const lane = `endpoint ${id}`;
    const pause = (until: string) =>
      db.execute(sql`INSERT INTO paused_lanes VALUES (${lane}, ${until})`);
    await pause('2026-01-01T09:00:00Z');
    expect((await call('GET', `/endpoints/${id}`)).body.pausedUntil).toBeNull();
    for (const end of [
      () => call('PATCH', `/endpoints/${id}`, { url: 'http://localhost:1/' }),
      () => call('POST', `/endpoints/${id}/enable`),
    ]) {
      await db.delete(pausedLanes);
      await pause('2999-01-01T09:00:00Z');
      const kept = await call('PATCH', `/endpoints/${id}`, { description: 'x' });
      expect(kept.body.pausedUntil).toBe('2999-01-01T09:00:00.000Z');
      expect((await end()).body.pausedUntil).toBeNull();
      expect((await call('GET', `/endpoints/${id}`)).body.pausedUntil).toBeNull();
    }
    await pause('2999-01-01T09:00:00Z');
    await call('DELETE', `/endpoints/${id}`);
    expect(await db.$count(pausedLanes)).toBe(0);
  });

  test('that the service has disabled has no failures after a person enables it', async () => {
    const { id, body } = await makeEndpoint();
    const { secret, ...shown } = body;
    await db
      .update(endpoints)
      .set({ enabled: false, disabledBecause: 'gone', failingSince: new Date() })
      .where(eq(endpoints.id, BigInt(id)));
    expect((await call('GET', `/endpoints/${id}`)).body).toMatchObject({
      enabled: false,
      disabledBecause: 'gone',
      disablesAt: null,
    });
    expect((await call('POST', `/endpoints/${id}/enable`)).body).toEqual(shown);
    const disabled = { ...shown, enabled: false };
    expect((await call('POST', `/endpoints/${id}/disable`)).body).toEqual(disabled);
  });

  test('gets a new secret, and keeps the old secret for a day', async () => {
    const { id, secret } = await makeEndpoint();
    const { body } = await call('POST', `/endpoints/${id}/rotate-secret`);
    expect(body.secret).toMatch(/^whsec_/);
    expect(body.secret).not.toBe(secret);
    const [row] = await db
      .select({
        old: endpoints.oldSecret,
        hours: sql<number>`extract(epoch from old_secret_until - now())::int / 3600.0`,
      })
      .from(endpoints)
      .where(eq(endpoints.id, BigInt(id)));
    expect(row?.old).toBe(secret);
    expect(Number(row?.hours)).toBeCloseTo(24, 1);
  });
});

describe(`a company has at most ${MOST_ENDPOINTS} endpoints`, () => {
  test('even if many requests come at the same time', async () => {
    const companyId = await makeCompany();
    const wanted = Array.from({ length: 3 * MOST_ENDPOINTS });
    // A busy machine answers some requests with 503 busy, and such a request is sent again.
    const createPatiently = async () => {
      const answer = await create(companyId);
      return answer.body.code === 'busy' ? create(companyId) : answer;
    };
    const answers = await Promise.all(wanted.map(createPatiently));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MOST_ENDPOINTS);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['too-many-endpoints']));
    expect(await db.$count(endpoints, eq(endpoints.companyId, companyId))).toBe(MOST_ENDPOINTS);
  });

  test('and lists its endpoints in pages', async () => {
    const companyId = await makeCompany();
    for (let n = 0; n < 3; n++) await create(companyId);
    const first = (await call('GET', `/companies/${companyId}/endpoints?limit=2`)).body;
    const { nextCursor } = first;
    const rest = await call('GET', `/companies/${companyId}/endpoints?cursor=${nextCursor}`);
    expect([first.endpoints.length, rest.body.endpoints.length]).toEqual([2, 1]);
  });
});
