import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeApp } from '../../../support/app.ts';
import { as, bearer, inSeconds, payloadOf, SECRET, signedWith } from '../../../support/tokens.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
let made: Made;

beforeAll(async () => {
  const auth = { kind: 'secret', secret: SECRET, audience: 'rowlock', issuer: 'tests' } as const;
  made = await makeApp({ auth });
});

const checked = { aud: 'rowlock', iss: 'tests' };
const ask = (headers: Record<string, string> = {}, path = '/jobs?limit=1', method = 'GET') =>
  made.app.request(path, { headers, method });
const signed = async (secret: string, alg: string) =>
  bearer(await signedWith(secret, payloadOf('admin', 'eve', checked), alg));
/** Encodes a part of a token. A string is encoded unchanged, any other value as JSON. */
const text64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Makes a token with a header that no library would make. The signature is valid. */
function forged(header: unknown, payload: unknown = payloadOf('admin', 'eve', checked)) {
  const said = `${text64(header)}.${text64(payload)}`;
  return bearer(`${said}.${createHmac('sha256', SECRET).update(said).digest('base64url')}`);
}
/** Makes a payload whose JSON has the number 1e999, which JavaScript reads as Infinity. */
const atInfinity = (claim: string) =>
  JSON.stringify(payloadOf('admin', 'eve', { ...checked, [claim]: 'x' })).replace('"x"', '1e999');
const unsigned = (alg: string) =>
  bearer(`${text64({ alg, typ: 'JWT' })}.${text64(payloadOf('admin', 'eve', checked))}.`);
const tampered = async () => {
  const { Authorization: header } = await as('recruiter', '7', checked);
  const [head, , signature] = header.split('.');
  return { Authorization: [head, text64(payloadOf('admin', 'eve', checked)), signature].join('.') };
};

const challengeOf = (response: Response) => response.headers.get('WWW-Authenticate');

describe('a valid token', () => {
  test.each([
    ['recruiter', '7', {}],
    ['company', '9223372036854775807', {}],
    ['admin', 'Ada Lovelace', {}],
    ['admin', 'one of several audiences', { aud: ['others', 'rowlock'] }],
    ['admin', 'valid from now', { nbf: inSeconds(-1), iat: inSeconds(-1) }],
  ])('of %s %s is accepted', async (role, sub, claims) => {
    const response = await ask(await as(role, sub, { ...checked, ...claims }));
    expect(response.status).toBe(200);
    expect(challengeOf(response)).toBeNull();
  });

  test.each(['JWT', 'jwt', 'at+jwt', 'application/at+jwt'])('may be of type %s', async (typ) => {
    expect((await ask(forged({ alg: 'HS256', typ }))).status).toBe(200);
  });

  test('may name no type', async () => {
    expect((await ask(forged({ alg: 'HS256' }))).status).toBe(200);
  });

  test('may follow the word "bearer" in large or small letters', async () => {
    const { Authorization: header } = await as('recruiter', '7', checked);
    const Authorization = header.replace('Bearer', 'bearer');
    expect((await ask({ Authorization })).status).toBe(200);
  });

  test('may be signed with a secret in the form of a PEM file', async () => {
    const secret = '-----BEGIN PUBLIC KEY----- not at all -----END PUBLIC KEY-----';
    const { app } = await makeApp({ auth: { kind: 'secret', secret }, url: made.databaseUrl });
    const said = `${text64({ alg: 'HS256' })}.${text64(payloadOf('admin', 'ada'))}`;
    const mac = createHmac('sha256', secret).update(said).digest('base64url');
    expect((await app.request('/jobs', { headers: bearer(`${said}.${mac}`) })).status).toBe(200);
  });
});

describe('an invalid token', () => {
  const id = (sub: unknown, claims = {}) => as('recruiter', sub, { ...checked, ...claims });
  test.each<[string, () => Record<string, string> | Promise<Record<string, string>>]>([
    ['is garbage', () => bearer('garbage')],
    ['is garbage in three parts', () => bearer('a.b.c')],
    ['is null in three parts', () => bearer('bnVsbA.bnVsbA.bnVsbA')],
    ['is signed by nothing', () => unsigned('none')],
    ['is said to be signed by HS256', () => unsigned('HS256')],
    ['was changed after it was signed', tampered],
    ['is signed with another secret', () => signed(`${SECRET}.`, 'HS256')],
    ['is signed another way', () => signed(SECRET, 'HS512')],
    ['says that it is signed another way', () => forged({ alg: 'RS256', typ: 'JWT' })],
    ['is of another type', () => forged({ alg: 'HS256', typ: 'secevent+jwt' })],
    ['has a type that is none', () => forged({ alg: 'HS256', typ: 1 })],
    ['has a type without letters', () => forged({ alg: 'HS256', typ: '' })],
    ['asks for an extension', () => forged({ alg: 'HS256', crit: ['exp'], exp: 1 })],
    ['asks for no extension by name', () => forged({ alg: 'HS256', crit: [] })],
    ['asks for a bare payload', () => forged({ alg: 'HS256', crit: ['b64'], b64: false })],
    ['is as long as a header may be', () => bearer(`${'a'.repeat(16_000)}.a.a`)],
    ['has nothing but parts', () => bearer('.'.repeat(16_000))],
    ['is no object', () => forged({ alg: 'HS256' }, '"admin"')],
    ['is no JSON', () => forged({ alg: 'HS256' }, 'admin')],
    ['ends at infinity', () => forged({ alg: 'HS256' }, atInfinity('exp'))],
    ['never ends', () => id('7', { exp: undefined })],
    ['ends at a text', () => id('7', { exp: '9999999999' })],
    ['is valid from a text on', () => id('7', { nbf: '1' })],
    ['was issued at a text', () => id('7', { iat: '1' })],
    ['is for nobody', () => id('7', { aud: undefined })],
    ['is by others', () => id('7', { iss: 'others' })],
    ['is by nobody', () => id('7', { iss: undefined })],
    ['has no role', () => id('7', { role: undefined })],
    ['has a role that there is not', () => as('owner', '7', checked)],
    ['has several roles', () => id('7', { role: ['recruiter', 'admin'] })],
    ['is of a recruiter without an id', () => id(undefined)],
    ['is of a recruiter with a name', () => id('Amara')],
    ['is of a recruiter whose id is a number', () => id(7)],
    ['is of a recruiter whose id has two spellings', () => id('07')],
    ['is of a recruiter beyond 64 bits', () => id('9223372036854775808')],
    ['is of a company with a name', () => as('company', 'Harbour Analytics', checked)],
    ['is of an admin without a name', () => as('admin', '', checked)],
    ['is of an admin with a very long name', () => as('admin', 'a'.repeat(201), checked)],
    ['is of an admin whose name is not text', () => as('admin', 'a\0b', checked)],
  ])('that %s is refused without the reason', async (_, header) => {
    await expectRefused(await header(), 'The token is not valid.');
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['has ended', { exp: inSeconds(-1) }, 'The token has expired.'],
    ['is not valid yet', { nbf: inSeconds(60) }, 'The token is not valid yet.'],
    ['was issued in the future', { iat: inSeconds(60) }, 'The token is not valid yet.'],
    ['is for others', { aud: 'others' }, 'The token is for another audience.'],
  ])('that %s is refused with the reason', async (_, claims, why) => {
    await expectRefused(await id('7', claims), why);
  });

  test('with a forged signature never gets the reason', async () => {
    const payload = payloadOf('admin', 'eve', { ...checked, exp: inSeconds(-1) });
    const header = bearer(await signedWith(`${SECRET}.`, payload));
    await expectRefused(header, 'The token is not valid.');
  });

  test('is logged with the reason, but without any part of the token', async () => {
    const header = await id('7', { role: 'owner-of-all' });
    const response = await ask({ ...header, 'X-Request-Id': 'refused-1' });
    expect(response.status).toBe(401);
    const line = made.details.find(({ requestId }) => requestId === 'refused-1');
    expect(line).toEqual({
      event: 'token refused',
      requestId: 'refused-1',
      why: 'these fields are missing or wrong: payload.role',
    });
  });

  async function expectRefused(header: Record<string, string>, why: string) {
    const response = await ask(header);
    expect(response.status).toBe(401);
    expect(challengeOf(response)).toBe(`Bearer error="invalid_token", error_description="${why}"`);
    expect(await response.json()).toEqual({
      type: '/problems/unauthorized',
      title: 'No valid token',
      status: 401,
      detail: `${why} Send a valid token: Authorization: Bearer …`,
      code: 'unauthorized',
    });
    expect(made.events).toEqual([]);
  }
});

describe('a caller without a token', () => {
  test.each([
    {},
    { Authorization: '' },
    { Authorization: 'Bearer' },
    { Authorization: 'Basic bWU6cHc=' },
  ])('that sends %j is asked for a token', async (headers) => {
    const response = await ask(headers as Record<string, string>);
    expect(response.status).toBe(401);
    expect(challengeOf(response)).toBe('Bearer');
  });

  test.each([
    ['GET', '/nowhere'],
    ['GET', '/claim-job/'],
    ['GET', '/metrics'],
    ['GET', '/lab/strategies'],
    ['GET', '/docsandmore'],
    ['POST', '/openapi.json'],
    ['DELETE', '/docs'],
    ['OPTIONS', '/jobs'],
  ])('does not learn whether an address exists: %s %s', async (method, path) => {
    expect((await ask({ 'Idempotency-Key': 'k' }, path, method)).status).toBe(401);
  });

  test('can read the health of the service and its OpenAPI document', async () => {
    expect((await ask({}, '/healthz')).status).toBe(200);
    for (const path of ['/readyz', '/openapi.json', '/docs', '/docs/style.css', '/problems/busy'])
      expect((await ask({}, path)).status).not.toBe(401);
  });

  test.each(['a', '"'])(
    'may send the idempotency key %j to an open path, where keys are not checked',
    async (key) => {
      for (const path of ['/docs/claim-job', '/docs/lab/races/1/claim-job', '/docs'])
        expect((await ask({ 'Idempotency-Key': key }, path)).status).toBeOneOf([200, 404]);
      expect(made.events).toEqual([]);
    },
  );
});

test('a service without authentication neither asks for tokens nor reads them', async () => {
  const { app } = await makeApp({ url: made.databaseUrl });
  expect((await app.request('/jobs')).status).toBe(200);
  expect((await app.request('/jobs', { headers: bearer('garbage') })).status).toBe(200);
});
