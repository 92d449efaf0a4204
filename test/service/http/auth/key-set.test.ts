import {
  createHmac,
  createSign,
  generateKeyPairSync,
  type KeyPairKeyObjectResult,
} from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeApp } from '../../../support/app.ts';
import { makeDatabase } from '../../../support/database.ts';
import { bearer, payloadOf, sign } from '../../../support/tokens.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const pairs = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};
type Algorithm = keyof typeof pairs;

/** The key pairs of earlier tests. Each test reuses them, because a new RSA pair takes 100 ms. */
const kept: Record<Algorithm, KeyPairKeyObjectResult[]> = {
  RS256: [],
  PS256: [],
  ES256: [],
  EdDSA: [],
};
/** The number of pairs of each algorithm that the current test uses. */
let used: Partial<Record<Algorithm, number>> = {};

/** Returns a pair that the current test does not use yet. */
function takePair(alg: Algorithm): KeyPairKeyObjectResult {
  const place = used[alg] ?? 0;
  used[alg] = place + 1;
  const pair = kept[alg][place] ?? pairs[alg]();
  kept[alg][place] = pair;
  return pair;
}

/** Makes a key pair. The issuer signs tokens with the private key and publishes the public key. */
function makeKey(kid: string, alg: Algorithm = 'ES256') {
  const { privateKey, publicKey } = takePair(alg);
  return {
    alg,
    pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    secret: { ...privateKey.export({ format: 'jwk' }), kid, alg },
    published: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' },
  };
}
type KeyPair = ReturnType<typeof makeKey>;

const text64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const genuine = ({ secret, alg }: KeyPair) =>
  sign(payloadOf('admin', 'ada'), secret, { alg, kid: secret.kid });

let databaseUrl: string;
let url: string;
let fetches: number;
let respond: (response: ServerResponse) => unknown;
const server = createServer((_, response) => {
  fetches += 1;
  respond(response);
});
const publish = (...keys: KeyPair[]) => publishRaw(...keys.map((key) => key.published));
const publishRaw = (...keys: unknown[]) => {
  respond = (response) => response.end(JSON.stringify({ keys }));
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
  used = {};
  fetches = 0;
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
});
afterEach(() => vi.useRealTimers());
const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 20_000 });
const pass = (ms: number) => vi.advanceTimersByTime(ms);
/** Sets the clock, as an operator or NTP does. Timers still wait for their full time. */
const setClockBy = (ms: number) => vi.setSystemTime(Date.now() + ms);

function sendPacked(response: ServerResponse, text: string) {
  response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(text));
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function makeGuarded() {
  const { app, events } = await makeApp({ auth: { kind: 'jwks', url }, url: databaseUrl });
  const askWith = async (token: string) =>
    (await app.request('/jobs?limit=1', { headers: bearer(token) })).status;
  const ask = async (key: KeyPair) => askWith(await genuine(key));
  return { app, events, ask, askWith };
}

describe('a key of the key set', () => {
  test.each<Algorithm>(['RS256', 'PS256', 'ES256', 'EdDSA'])('verifies %s tokens', async (alg) => {
    const key = makeKey('one', alg);
    publish(key);
    const { ask } = await makeGuarded();
    expect(await ask(key)).toBe(200);
    expect(await ask(makeKey('one', alg))).toBe(401);
  });

  test('that names no algorithm verifies tokens of each allowed algorithm, and of no other algorithm', async () => {
    const { secret, published } = makeKey('one', 'RS256');
    publishRaw({ ...published, alg: undefined });
    const { askWith } = await makeGuarded();
    const statuses = ['RS256', 'PS256', 'RS512', 'PS512'].map(async (alg) => {
      const key = { ...secret, alg };
      return askWith(await sign(payloadOf('admin', 'ada'), key, { alg, kid: 'one' }));
    });
    expect(await Promise.all(statuses)).toEqual([200, 200, 401, 401]);
  });

  test('is fetched once for all simultaneous requests, and is then remembered', async () => {
    const key = makeKey('one');
    publish(key);
    const { ask } = await makeGuarded();
    expect(await Promise.all([ask(key), ask(key), ask(key)])).toEqual([200, 200, 200]);
    pass(4 * MINUTE);
    expect(await ask(key)).toBe(200);
    expect(fetches).toBe(1);
  });

  test('works as soon as it is published, and stops working when a key set without this key is fetched', async () => {
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

  test('is not fetched again for each token that names an unknown key', async () => {
    publish(makeKey('one'));
    const { ask } = await makeGuarded();
    for (const kid of ['a', 'b', 'c']) expect(await ask(makeKey(kid))).toBe(401);
    const strangers = Array.from({ length: 20 }, (_, n) => ask(makeKey(`${n}`)));
    expect(new Set(await Promise.all(strangers))).toEqual(new Set([401]));
    expect(fetches).toBe(1);
    pass(10_000);
    expect(await ask(makeKey('d'))).toBe(401);
    expect(fetches).toBe(2);
  });

  test('is no secret, so a token that is signed with the public key as a secret is refused', async () => {
    const key = makeKey('one', 'RS256');
    publish(key);
    const { askWith } = await makeGuarded();
    for (const secret of [key.pem, JSON.stringify(key.published), key.published.n as string]) {
      const header = { alg: 'HS256', typ: 'JWT', kid: 'one' };
      const said = `${text64(header)}.${text64(payloadOf('admin', 'eve'))}`;
      const mac = createHmac('sha256', secret).update(said).digest('base64url');
      expect(await askWith(`${said}.${mac}`)).toBe(401);
    }
  });

  test('does not validate a token for another audience, from another issuer or after its expiry', async () => {
    const key = makeKey('one');
    publish(key);
    const auth = { kind: 'jwks', url, audience: 'rowlock', issuer: 'tests' } as const;
    const { app } = await makeApp({ auth, url: databaseUrl });
    const right = { aud: 'rowlock', iss: 'tests' };
    const ask = async (claims: Record<string, unknown>) => {
      const payload = payloadOf('admin', 'ada', { ...right, ...claims });
      const headers = bearer(await sign(payload, key.secret, { alg: key.alg, kid: 'one' }));
      return (await app.request('/jobs', { headers })).status;
    };
    expect(await ask({})).toBe(200);
    const wrong = [{ aud: 'others' }, { iss: 'others' }, { exp: 1 }, { exp: undefined }];
    for (const claims of wrong) expect(await ask(claims)).toBe(401);
  });

  test('must be named by the token', async () => {
    const key = makeKey('one');
    publish(key);
    const { askWith } = await makeGuarded();
    for (const kid of [undefined, null, 1, ['one']]) {
      const token = await sign(payloadOf('admin', 'eve'), key.secret, { alg: 'ES256', kid });
      expect(await askWith(token)).toBe(401);
    }
    expect(fetches).toBe(0);
  });

  test('is never taken from the token itself', async () => {
    const [key, own] = [makeKey('one'), makeKey('one')];
    publish(key);
    const { askWith } = await makeGuarded();
    const header = { alg: 'ES256', kid: 'one', jwk: own.published, jku: url };
    expect(await askWith(await sign(payloadOf('admin', 'eve'), own.secret, header))).toBe(401);
    expect(fetches).toBe(1);
  });

  test('may have the same name as a key of another type, and may be listed twice', async () => {
    const [rsa, curve] = [makeKey('one', 'RS256'), makeKey('one')];
    publish(rsa, curve, rsa);
    const { ask } = await makeGuarded();
    expect([await ask(rsa), await ask(curve)]).toEqual([200, 200]);
  });

  test('works immediately if it has the name of an old key and another algorithm', async () => {
    const [old, young] = [makeKey('one', 'RS256'), makeKey('one')];
    publish(old);
    const { ask } = await makeGuarded();
    expect(await ask(old)).toBe(200);
    publish(young);
    pass(MINUTE);
    expect([await ask(young), await ask(old)]).toEqual([200, 401]);
  });

  test('works even if the key set also has malformed keys', async () => {
    const key = makeKey('one');
    const { published } = key;
    const broken = makeKey('broken');
    const noPoint = { ...broken.published, x: '!' };
    publishRaw(
      {},
      { kid: 'one' },
      { ...published, kty: 1 },
      { ...published, kid: 1 },
      noPoint,
      published,
    );
    const { ask } = await makeGuarded();
    expect(await ask(key)).toBe(200);
    expect(await ask(broken)).toBe(401);
  });
});

describe('a published key', () => {
  const rsa = makeKey('unfit', 'RS256');
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const byWeak = () => {
    const said = `${text64({ alg: 'RS256', kid: 'unfit' })}.${text64(payloadOf('admin', 'eve'))}`;
    return `${said}.${createSign('sha256').update(said).sign(weak.privateKey, 'base64url')}`;
  };
  const byShared = () =>
    sign(payloadOf('admin', 'eve'), Buffer.alloc(32), { alg: 'HS256', kid: 'unfit' });
  const byRsa = () => genuine(rsa);
  const { d, p, q, dp, dq, qi } = rsa.secret;
  test.each<[string, Record<string, unknown>, () => string | Promise<string>]>([
    ['is for encryption', { ...rsa.published, use: 'enc' }, byRsa],
    ['is not for verifying', { ...rsa.published, key_ops: ['sign'] }, byRsa],
    ['is for another algorithm', { ...rsa.published, alg: 'PS256' }, byRsa],
    ['is private', { ...rsa.published, d, p, q, dp, dq, qi }, byRsa],
    ['is shared', { kty: 'oct', k: Buffer.alloc(32).toString('base64url') }, byShared],
    ['has 1024 bits', weak.publicKey.export({ format: 'jwk' }), byWeak],
  ])('is not used when it %s', async (_, published, token) => {
    const good = makeKey('good');
    publishRaw({ ...published, kid: 'unfit' }, good.published);
    const { ask, askWith } = await makeGuarded();
    expect(await askWith(await token())).toBe(401);
    expect(await ask(good)).toBe(200);
  });
});

describe('after the clock is set', () => {
  test('back, a new key works and a withdrawn key does not', async () => {
    const [old, young] = [makeKey('old'), makeKey('young')];
    publish(old);
    const { ask } = await makeGuarded();
    setClockBy(DAY);
    expect(await ask(old)).toBe(200);
    setClockBy(-DAY);
    publish(young);
    pass(MINUTE);
    expect(await ask(young)).toBe(200);
    expect(await ask(old)).toBe(401);
    expect(fetches).toBe(2);
  });

  test('back, the keys are fetched again, and trusted for no longer than an hour', async () => {
    const key = makeKey('one');
    publish(key);
    const { ask, events } = await makeGuarded();
    setClockBy(DAY);
    expect(await ask(key)).toBe(200);
    setClockBy(-DAY);
    respond = fail;
    pass(5 * MINUTE);
    expect(await ask(key)).toBe(200);
    await soon(() => expect(events).toHaveLength(1));
    pass(55 * MINUTE);
    expect(await ask(key)).toBe(503);
  });

  test('ahead, the known keys still work', async () => {
    const key = makeKey('one');
    publish(key);
    const { ask } = await makeGuarded();
    expect(await ask(key)).toBe(200);
    respond = fail;
    setClockBy(DAY);
    expect(await ask(key)).toBe(200);
    expect(fetches).toBe(1);
  });
});

describe('while the keys cannot be fetched', () => {
  test.each<[string, (response: ServerResponse) => unknown]>([
    ['an error', fail],
    ['no connection', (response) => response.destroy()],
    ['no JSON', (response) => response.end('<html>')],
    ['no keys', (response) => response.end('{}')],
    ['far too much', (response) => response.end(`{"keys":[],"x":"${'x'.repeat(100_000)}"}`)],
    ['far too much, packed', (response) => sendPacked(response, ' '.repeat(10_000_000))],
    ['too many keys', (response) => response.end(JSON.stringify({ keys: Array(101).fill({}) }))],
    ['a key that is no object', (response) => response.end('{"keys":[null]}')],
    ['another place', (response) => response.writeHead(302, { Location: '/' }).end()],
  ])('%s makes the service answer `busy`, and not refuse the token', async (_, how) => {
    respond = how;
    const key = makeKey('one');
    const { app, events, ask } = await makeGuarded();
    const token = await genuine(key);
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

  test('the service stops waiting for an answer that never ends, whether more bytes come or not', async () => {
    const drips: NodeJS.Timeout[] = [];
    const closed: Promise<unknown>[] = [];
    respond = (response) => {
      closed.push(once(response, 'close'));
      response.write('{"keys":[');
      if (fetches === 1) drips.push(setInterval(() => response.write(' '), 50));
    };
    const key = makeKey('one');
    const [first, second] = [await makeGuarded(), await makeGuarded()];
    // In Node 20 and 22, fetch forgets its signal after a garbage collection.
    const clearing = setInterval(collectGarbage, 100);
    try {
      expect(await Promise.all([first.ask(key), second.ask(key)])).toEqual([503, 503]);
      expect(await Promise.all(closed)).toHaveLength(2);
    } finally {
      for (const timer of [...drips, clearing]) clearInterval(timer);
    }
    publish(key);
    pass(10_000);
    expect([await first.ask(key), await second.ask(key)]).toEqual([200, 200]);
  });

  test('the known keys still work', async () => {
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

  test('a token with a known key does not wait for the fetch', async () => {
    const key = makeKey('one');
    publish(key);
    const { ask, events } = await makeGuarded();
    expect(await ask(key)).toBe(200);
    const hanging: ServerResponse[] = [];
    respond = (response) => hanging.push(response);
    pass(5 * MINUTE);
    expect(await ask(key)).toBe(200);
    // If the request had waited for the fetch, the log would have an event.
    expect(events).toEqual([]);
    await soon(() => expect(hanging).toHaveLength(1));
    hanging[0]?.destroy();
    await soon(() => expect(events).toHaveLength(1));
  });

  test('the known keys are trusted for an hour, and then no key is trusted', async () => {
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
