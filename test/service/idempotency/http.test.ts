import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { idempotencyKeys } from '../../../src/service/database/schema.ts';
import { makeApp } from '../../support/app.ts';
import { whileHeld } from '../../support/locks.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;
let keys = 0;

beforeAll(async () => {
  made = await makeApp();
});

const withKey = (key = `key-${++keys}`) => ({ 'Idempotency-Key': key });
const makeJob = async (capacity = 4): Promise<number> =>
  (await made.call('POST', '/jobs', { companyId: 1, role: 'A job', capacity })).body.id;
const claimsOf = async (jobId: number) =>
  (await made.call('GET', `/jobs/${jobId}/claims`)).body.claims.length;
const stored = async (key: string) =>
  (await made.db.execute(sql`SELECT 1 FROM ${idempotencyKeys} WHERE key = ${key}`)).length;

function expectReplay(repeat: Awaited<ReturnType<Made['call']>>, first: typeof repeat) {
  expect([repeat.status, repeat.text]).toEqual([first.status, first.text]);
  for (const name of ['content-type', 'location'])
    expect(repeat.headers.get(name)).toBe(first.headers.get(name));
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(repeat.headers.get('idempotent-replayed')).toBe('true');
  expect(repeat.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
}

describe('a repeat with the same key', () => {
  test('gets the first answer, byte for byte, on every route that writes', async () => {
    const jobId = await makeJob();
    const leased = await made.call('POST', `/jobs/${jobId}/claims`, {
      recruiterId: 50,
      leaseSeconds: 900,
    });
    const other = await made.call('POST', `/jobs/${jobId}/claims`, { recruiterId: 51 });
    const calls: [string, string, unknown?][] = [
      ['GET', `/claim-job?jobId=${jobId}&recruiterId=1`],
      ['POST', `/jobs/${jobId}/claims`, { recruiterId: 2, leaseSeconds: 60 }],
      ['POST', `/claims/${leased.body.claim.id}/renew`, { leaseSeconds: 60 }],
      ['DELETE', `/claims/${other.body.claim.id}`],
      ['POST', '/jobs', { companyId: 1, role: 'Another' }],
      ['PATCH', `/jobs/${jobId}`, { capacity: 7 }],
      ['POST', '/companies', { name: 'Once Ltd' }],
      ['POST', '/recruiters', { name: 'Once Only' }],
    ];
    for (const [method, path, body] of calls) {
      const headers = withKey();
      const first = await made.call(method, path, body, headers);
      expect([method, path, first.status]).toEqual([method, path, expect.any(Number)]);
      expect(first.status).toBeLessThan(300);
      expectReplay(await made.call(method, path, body, headers), first);
    }
    expect((await made.call('GET', '/companies?cursor=6')).body.companies).toHaveLength(1);
  });

  test('gets the first refusal, although a new request would now be granted', async () => {
    const jobId = await makeJob(1);
    const { body } = await made.call('POST', `/jobs/${jobId}/claims`, { recruiterId: 1 });
    const refusals = [
      [`jobId=${jobId}&recruiterId=2`, 403],
      [`jobId=${jobId}&recruiterId=1`, 409],
      ['jobId=9000000&recruiterId=1', 404],
    ] as const;
    const headers = refusals.map(() => withKey());
    const ask = (index: number) =>
      made.call('GET', `/claim-job?${refusals[index]?.[0]}`, undefined, headers[index]);
    const first = [await ask(0), await ask(1), await ask(2)];
    expect(first.map(({ status }) => status)).toEqual(refusals.map(([, status]) => status));
    await made.call('DELETE', `/claims/${body.claim.id}`);
    for (const [index, answer] of first.entries()) expectReplay(await ask(index), answer);
    const late = withKey();
    const roomy = await makeJob();
    const path = `/claim-job?jobId=${roomy}&recruiterId=9000000`;
    const nobody = await made.call('GET', path, undefined, late);
    expect(nobody).toMatchObject({ status: 404, body: { code: 'recruiter-not-found' } });
    expectReplay(await made.call('GET', path, undefined, late), nobody);
  });

  test('does not claim again after the claim was released', async () => {
    const jobId = await makeJob();
    const headers = withKey();
    const claim = () => made.call('POST', `/jobs/${jobId}/claims`, { recruiterId: 1 }, headers);
    const first = await claim();
    await made.call('DELETE', `/claims/${first.body.claim.id}`);
    expectReplay(await claim(), first);
    expect(await claimsOf(jobId)).toBe(0);
  });

  test('gets the same answer as all other repeats if fifty requests come at the same time', async () => {
    const jobId = await makeJob();
    const headers = withKey();
    const all = await Promise.all(
      Array.from({ length: 50 }, () =>
        made.call('POST', `/jobs/${jobId}/claims`, { recruiterId: 1 }, headers),
      ),
    );
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(all[0]?.status).toBe(201);
    const first = all.filter((each) => each.headers.get('idempotent-replayed') === null);
    expect(first).toHaveLength(1);
    expect(await claimsOf(jobId)).toBe(1);
  });

  test('waits on another server until the first request has ended, and gets the answer of the first request', async () => {
    const other = await makeApp({ url: made.databaseUrl });
    const jobId = await makeJob();
    const headers = withKey();
    const ask = (app: Made) =>
      app.call('GET', `/claim-job?jobId=${jobId}&recruiterId=1`, undefined, headers);
    const { first, repeat } = await whileHeld(made.databaseUrl, jobId, async () => {
      const first = ask(made);
      await vi.waitFor(() => expectWaiting('for update'), { timeout: 20_000 });
      const repeat = ask(other);
      await vi.waitFor(() => expectWaiting('pg_advisory_xact_lock'), { timeout: 20_000 });
      return { first, repeat };
    });
    expectReplay(await repeat, await first);
    expect(await claimsOf(jobId)).toBe(1);
  });
});

/** Asserts that a statement with this text waits for a lock. */
async function expectWaiting(what: string) {
  const waiting = await made.db.execute(sql`
    SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
    AND wait_event_type = 'Lock' AND query LIKE ${`%${what}%`}`);
  expect(waiting).toHaveLength(1);
}

describe('while the first request still runs', () => {
  test.each(['the same instance', 'another instance'])(
    'a repeat to %s is answered `key-in-use` after a limited wait',
    async (where) => {
      const settings = { url: made.databaseUrl, lockTimeoutMs: 300, keyWaitMs: 300 };
      const running = await makeApp({ ...settings, lockTimeoutMs: 20_000 });
      const asked = where === 'another instance' ? await makeApp(settings) : running;
      const jobId = await makeJob();
      const headers = withKey();
      const ask = (app: Made) =>
        app.call('GET', `/claim-job?jobId=${jobId}&recruiterId=1`, undefined, headers);
      const { first } = await whileHeld(made.databaseUrl, jobId, async () => {
        const first = ask(running);
        await vi.waitFor(() => expectWaiting('for update'), { timeout: 20_000 });
        const repeat = await ask(asked);
        expect(repeat).toMatchObject({ status: 409, body: { code: 'key-in-use' } });
        expect(repeat.headers.get('retry-after')).toBe('1');
        return { first };
      });
      expectReplay(await ask(asked), await first);
    },
  );
});

describe('a key', () => {
  test('that was used for another request is refused before the request itself is checked', async () => {
    const jobId = await makeJob();
    const headers = withKey();
    const path = `/claim-job?jobId=${jobId}&recruiterId=1`;
    expect((await made.call('GET', path, undefined, headers)).status).toBe(200);
    const others: [string, string, unknown?][] = [
      ['GET', `/claim-job?jobId=${jobId}&recruiterId=2`],
      ['GET', '/claim-job?jobId=9000000&recruiterId=1'],
      ['GET', '/claim-job?jobId=x'],
      ['POST', `/jobs/${jobId}/claims`, { recruiterId: 1 }],
      ['POST', `/jobs/${jobId}/claims`, { recruiterId: 'nonsense' }],
      ['PATCH', `/jobs/${jobId}`, { capacity: 1 }],
      ['DELETE', '/claims/1'],
    ];
    for (const [method, other, body] of others)
      expect(await made.call(method, other, body, headers)).toMatchObject({
        status: 422,
        body: { code: 'key-reused' },
      });
    expect(await claimsOf(jobId)).toBe(1);
  });

  test('that two different requests use at the same time belongs to only one of these requests', async () => {
    for (let round = 0; round < 10; round++) {
      const [one, two] = [await makeJob(), await makeJob()];
      const headers = withKey();
      const answers = await Promise.all(
        [one, two].map((jobId) =>
          made.call('GET', `/claim-job?jobId=${jobId}&recruiterId=1`, undefined, headers),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
      expect((await claimsOf(one)) + (await claimsOf(two))).toBe(1);
    }
  });

  test.each([
    ['', 400],
    ['a b', 400],
    ['"open', 400],
    ['"a" ; x=1', 400],
    ['"a", "b"', 400],
    ['one, two', 400],
    ['"\\x"', 400],
    ['clé', 400],
    ['""', 400],
    ['x'.repeat(256), 400],
    ['x'.repeat(255), 200],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', 200],
    ['"8e03978e-40d5-43dd-bc93-6894a57f9325"', 200],
    ['"a, \\"quoted\\" one \\\\"', 200],
  ])('with the text %j is answered %i', async (key, status) => {
    const path = `/claim-job?jobId=${await makeJob()}&recruiterId=1`;
    expect((await made.call('GET', path, undefined, withKey(key))).status).toBe(status);
  });

  test('with quotes is the same key as without quotes', async () => {
    const path = `/claim-job?jobId=${await makeJob()}&recruiterId=1`;
    const first = await made.call('GET', path, undefined, withKey('"quoted-or-not"'));
    expectReplay(await made.call('GET', path, undefined, withKey('quoted-or-not')), first);
  });

  test('belongs to the bytes of a body, even if other bytes decode to the same text', async () => {
    const key = withKey();
    const send = (body: string | Buffer) =>
      made.app.request('/companies', {
        method: 'POST',
        headers: { ...key, 'Content-Type': 'application/json' },
        body,
      });
    const latin1 = Buffer.from('{"name": "Caf\u00e9"}', 'latin1');
    const refused = await send(latin1);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { code: 'invalid-request', detail: expect.stringContaining('UTF-8') },
    ]);
    const first = await send('{"name": "Caf\u00e9"}');
    expect([first.status, await first.json()]).toMatchObject([201, { name: 'Caf\u00e9' }]);
    // With a byte order mark, the bytes differ but the decoded text is the same.
    expect((await send('\ufeff{"name": "Caf\u00e9"}')).status).toBe(422);
  });

  test('has no effect on a read', async () => {
    expect((await made.call('GET', '/jobs', undefined, withKey('not a key'))).status).toBe(200);
  });

  test('that has expired can be used for another request', async () => {
    const jobId = await makeJob();
    const headers = withKey('short-lived');
    const path = `/claim-job?jobId=${jobId}&recruiterId=`;
    await made.call('GET', `${path}1`, undefined, headers);
    await made.db.execute(
      sql`UPDATE ${idempotencyKeys} SET expires_at = statement_timestamp() WHERE key = 'short-lived'`,
    );
    const second = await made.call('GET', `${path}2`, undefined, headers);
    expect(second).toMatchObject({ status: 200, body: { claimed: 2 } });
    expectReplay(await made.call('GET', `${path}2`, undefined, headers), second);
  });

  test('is not stored if the answer is `busy` or the request is invalid', async () => {
    const { call, databaseUrl } = await makeApp({ url: made.databaseUrl, lockTimeoutMs: 200 });
    const jobId = await makeJob();
    const path = `/claim-job?jobId=${jobId}&recruiterId=1`;
    const headers = withKey('asked-again');
    await whileHeld(databaseUrl, jobId, async () => {
      expect(await call('GET', path, undefined, headers)).toMatchObject({
        status: 503,
        body: { code: 'busy' },
      });
      expect(await stored('asked-again')).toBe(0);
    });
    expect((await call('GET', path, undefined, headers)).status).toBe(200);
    const senseless = withKey('senseless');
    expect((await call('GET', '/claim-job?jobId=x', undefined, senseless)).status).toBe(400);
    expect(await stored('senseless')).toBe(0);
  });
});
