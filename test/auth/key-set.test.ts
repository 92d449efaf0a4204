import { createHmac, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sign } from 'hono/jwt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeApp } from '../support/app.ts';
import { makeDatabase } from '../support/database.ts';
import { bearer, payloadOf } from '../support/tokens.ts';

const MINUTE = 60_000;

const pairs = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};
type Algorithm = keyof typeof pairs;

/** A key pair, as those who issue tokens have it and as they publish it. */
function makeKey(kid: string, alg: Algorithm = 'ES256') {
  const { privateKey, publicKey } = pairs[alg]();
  return {
    alg,
    pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    secret: { ...privateKey.export({ format: 'jwk' }), kid, alg },
    published: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' },
  };
}
type KeyPair = ReturnType<typeof makeKey>;

let databaseUrl: string;
let url: string;
let fetches: number;
let respond: (response: ServerResponse) => unknown;
const server = createServer((_, response) => {
  fetches += 1;
  respond(response);
});
const publish = (...keys: KeyPair[]) => {
  respond = (response) => response.end(JSON.stringify({ keys: keys.map((key) => key.published) }));
};
const fail = (response: ServerResponse) => response.writeHead(500).end();

beforeAll(async () => {
  databaseUrl = await makeDatabase();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
});
afterAll(() => server.close());
beforeEach(() => {
  fetches = 0;
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => vi.useRealTimers());
const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 20_000 });
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

async function makeGuarded() {
  const { app, events } = await makeApp({ auth: { kind: 'jwks', url }, url: databaseUrl });
  const ask = async (key: KeyPair) => {
    const token = await sign(payloadOf('admin', 'ada'), key.secret, key.alg);
    return (await app.request('/jobs?limit=1', { headers: bearer(token) })).status;
  };
  return { app, events, ask };
}

describe('a key that is published', () => {
  test.each<Algorithm>(['RS256', 'PS256', 'ES256', 'EdDSA'])('signs by %s', async (alg) => {
    const key = makeKey('one', alg);
    publish(key);
    const { ask } = await makeGuarded();
    expect(await ask(key)).toBe(200);
    expect(await ask(makeKey('one', alg))).toBe(401);
  });

  test('is fetched once for all who ask at the same time, and kept', async () => {
    const key = makeKey('one');
    publish(key);
    const { ask } = await makeGuarded();
    expect(await Promise.all([ask(key), ask(key), ask(key)])).toEqual([200, 200, 200]);
    pass(4 * MINUTE);
    expect(await ask(key)).toBe(200);
    expect(fetches).toBe(1);
  });

  test('works at once when it is new, and no more once the keys without it are fetched', async () => {
    const [old, young] = [makeKey('old'), makeKey('young')];
    publish(old);
    const { ask } = await makeGuarded();
    expect(await ask(old)).toBe(200);
    publish(young);
    pass(MINUTE);
    expect(await ask(old)).toBe(200);
    expect(fetches).toBe(1);
    expect(await ask(young)).toBe(200);
    expect(fetches).toBe(2);
    expect(await ask(old)).toBe(401);

    publish(old);
    expect(await ask(young)).toBe(200);
    pass(5 * MINUTE);
    await soon(async () => expect(await ask(young)).toBe(401));
  });

  test('is not fetched again for each token that names another', async () => {
    publish(makeKey('one'));
    const { ask } = await makeGuarded();
    for (const kid of ['a', 'b', 'c']) expect(await ask(makeKey(kid))).toBe(401);
    expect(fetches).toBe(1);
    pass(10_000);
    expect(await ask(makeKey('d'))).toBe(401);
    expect(fetches).toBe(2);
  });

  test('is no secret: a token signed with it as one is refused', async () => {
    const key = makeKey('one', 'RS256');
    publish(key);
    const { app } = await makeGuarded();
    const text64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const secret of [key.pem, JSON.stringify(key.published), key.published.n as string]) {
      const header = { alg: 'HS256', typ: 'JWT', kid: 'one' };
      const said = `${text64(header)}.${text64(payloadOf('admin', 'eve'))}`;
      const mac = createHmac('sha256', secret).update(said).digest('base64url');
      const headers = bearer(`${said}.${mac}`);
      expect((await app.request('/jobs', { headers })).status).toBe(401);
    }
  });

  test('does not make a token valid that is for others, by others, or has ended', async () => {
    const key = makeKey('one');
    publish(key);
    const auth = { kind: 'jwks', url, audience: 'rowlock', issuer: 'tests' } as const;
    const { app } = await makeApp({ auth, url: databaseUrl });
    const right = { aud: 'rowlock', iss: 'tests' };
    const ask = async (claims: Record<string, unknown>) => {
      const payload = payloadOf('admin', 'ada', { ...right, ...claims });
      const headers = bearer(await sign(payload, key.secret, key.alg));
      return (await app.request('/jobs', { headers })).status;
    };
    expect(await ask({})).toBe(200);
    const wrong = [{ aud: 'others' }, { iss: 'others' }, { exp: 1 }, { exp: undefined }];
    for (const claims of wrong) expect(await ask(claims)).toBe(401);
  });

  test('has to be named by the token', async () => {
    const key = makeKey('one');
    publish(key);
    const { app } = await makeGuarded();
    const { kid: _, ...unnamed } = key.secret;
    const token = await sign(payloadOf('admin', 'eve'), unnamed as typeof key.secret, 'ES256');
    expect((await app.request('/jobs', { headers: bearer(token) })).status).toBe(401);
    expect(fetches).toBe(0);
  });
});

describe('while the keys cannot be fetched', () => {
  test.each<[string, (response: ServerResponse) => unknown]>([
    ['an error', fail],
    ['no connection', (response) => response.destroy()],
    ['no JSON', (response) => response.end('<html>')],
    ['no keys', (response) => response.end('{}')],
    ['far too much', (response) => response.end(`{"keys":[],"x":"${'x'.repeat(100_000)}"}`)],
    ['another place', (response) => response.writeHead(302, { Location: '/' }).end()],
  ])('%s makes it busy, not the token wrong', async (_, how) => {
    respond = how;
    const key = makeKey('one');
    const { app, events, ask } = await makeGuarded();
    const token = await sign(payloadOf('admin', 'ada'), key.secret, 'ES256');
    const response = await app.request('/jobs', { headers: bearer(token) });
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await response.json()).toMatchObject({ code: 'busy' });
    expect(events).toEqual([{ event: 'key set not fetched', error: expect.any(String) }]);
    expect(JSON.stringify(events)).not.toContain(token);

    publish(key);
    expect(await ask(key)).toBe(503);
    expect(fetches).toBe(1);
    pass(10_000);
    expect(await ask(key)).toBe(200);
  });

  test('those that are known stay', async () => {
    const key = makeKey('one');
    publish(key);
    const { ask, events } = await makeGuarded();
    expect(await ask(key)).toBe(200);
    respond = fail;
    pass(5 * MINUTE);
    expect(await ask(key)).toBe(200);
    await soon(() => expect(events).toHaveLength(1));
    expect(await ask(makeKey('two'))).toBe(401);
    expect(fetches).toBe(2);
    expect(events).toHaveLength(1);
  });

  test('a token with a known key waits for no answer', async () => {
    const key = makeKey('one');
    publish(key);
    const { ask, events } = await makeGuarded();
    expect(await ask(key)).toBe(200);
    const hanging: ServerResponse[] = [];
    respond = (response) => hanging.push(response);
    pass(5 * MINUTE);
    expect(await ask(key)).toBe(200);
    // It would be there if the fetch had been waited for.
    expect(events).toEqual([]);
    await soon(() => expect(hanging).toHaveLength(1));
    hanging[0]?.destroy();
    await soon(() => expect(events).toHaveLength(1));
  });

  test('those that are known are trusted for an hour, and then none', async () => {
    const key = makeKey('one');
    publish(key);
    const { ask } = await makeGuarded();
    expect(await ask(key)).toBe(200);
    respond = fail;
    pass(59 * MINUTE);
    expect(await ask(key)).toBe(200);
    pass(MINUTE);
    expect(await ask(key)).toBe(503);
    publish(key);
    pass(MINUTE);
    expect(await ask(key)).toBe(200);
  });
});
