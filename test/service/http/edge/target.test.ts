import { once } from 'node:events';
import { connect } from 'node:net';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuthSettings } from '../../../../src/service/config/auth.ts';
import { collectLog, makeService } from '../../../support/app.ts';
import { makeDatabase } from '../../../support/database.ts';
import { WITH_SECRET } from '../../../support/tokens.ts';

const CLAIM = '/claim-job?jobId=1&recruiterId=1';
const HUGE = 'x'.repeat(20_000);

const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n');
const post = (target: string, host: string) =>
  `${head(`POST ${target}`, `Host: ${host}`, 'Content-Type: application/json', 'Content-Length: 2')}{}`;

/** `Host` headers that make no valid URL, or that could make different URLs. */
const MALFORMED_HOSTS = [
  ...[
    '1.2.3.4.5',
    '999.1.1.1',
    'xn--',
    'a..xn--',
    '',
    ' ',
    '\t',
    'a b',
    'a/b',
    'a?b',
    'a#b',
    'a\\b',
  ],
  ...['u@localhost', 'u:p@localhost', '%', 'a\0b', 'l\xf6calhost', 'localhost, evil', HUGE],
  ...['[::1', '[fe80::1%eth0]', '[fe80::1%25eth0]:80', 'localhost:-1', 'localhost:99999', 'a:b'],
];
const MALFORMED_TARGETS = [
  ...['*', 'localhost:80', 'claim-job', `\\${CLAIM}`, `/\\${CLAIM}`, '/claim-job\\?jobId=1'],
  ...[
    `http://elsewhere.example${CLAIM}`,
    `http://u:p@h${CLAIM}`,
    `http://u@localhost${CLAIM}`,
    `http://@localhost${CLAIM}`,
  ],
  ...[`http:///${CLAIM}`, `http://${CLAIM}`, 'http://', 'http://1.2.3.4.5/', 'http://xn--/'],
  ...['http://[::1/', 'http://localhost:99999/', `ftp://localhost${CLAIM}`, 'javascript:alert(1)'],
  ...['/j\xf6bs', '/a\0b', `/${HUGE}`],
];

const requests = {
  ...Object.fromEntries(
    MALFORMED_HOSTS.flatMap((host) => [
      [`GET with the Host ${host.slice(0, 30)}`, head(`GET ${CLAIM}`, `Host: ${host}`)],
      [`POST with the Host ${host.slice(0, 30)}`, post('/jobs', host)],
    ]),
  ),
  ...Object.fromEntries(
    MALFORMED_TARGETS.flatMap((target) => [
      [`GET ${target.slice(0, 60)}`, head(`GET ${target}`, 'Host: localhost')],
      [`POST ${target.slice(0, 60)}`, post(target, 'localhost')],
    ]),
  ),
  'no Host': head(`GET ${CLAIM}`),
  'no Host, HTTP/1.0': `GET ${CLAIM} HTTP/1.0\r\n\r\n`,
  'two Hosts': head(`GET ${CLAIM}`, 'Host: localhost', 'Host: localhost'),
  'two Hosts, the first empty': head(`GET ${CLAIM}`, 'Host:', 'host: localhost'),
  'CONNECT of another': head('CONNECT evil.example:443', 'Host: evil.example:443'),
  'CONNECT of an address': head(`CONNECT ${CLAIM}`, 'Host: localhost'),
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a TLS handshake': '\x16\x03\x01\0\x05\x01\0\0\x01\0',
};

/** Returns everything that the server sends until the server ends the connection. */
async function answerTo(url: string, bytes: string): Promise<string> {
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.on('error', () => undefined);
  socket.write(bytes, 'latin1');
  await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  socket.destroy();
  return answer;
}

let databaseUrl: string;
let sql: postgres.Sql;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
  sql = postgres(databaseUrl, { max: 1 });
});
afterAll(() => sql.end());

test.each<AuthSettings>([{ kind: 'loopback' }, { kind: 'off' }, WITH_SECRET])(
  'a request with a malformed target or Host is answered 400 or 431, claims nothing and logs nothing: $kind',
  async (auth) => {
    const { log, events } = collectLog();
    const { url } = await makeService(databaseUrl, { auth, log });
    const answers = Object.entries(requests).map(async ([name, bytes]) => {
      const [line = ''] = (await answerTo(url, bytes)).split('\r\n');
      return `${name}: ${line}`;
    });
    const wrong = (await Promise.all(answers)).filter(
      (each) => !/: HTTP\/1\.1 4(00|31) /.test(each),
    );
    expect(wrong).toEqual([]);
    expect(events).toEqual([]);
    expect(await sql`SELECT 1 FROM job_claims`).toHaveLength(0);
  },
);

test('the refusal of a malformed Host is a problem with the common headers', async () => {
  const { url } = await makeService(databaseUrl);
  for (const host of ['1.2.3.4.5', 'a b']) {
    const answer = await answerTo(url, head('GET /jobs', `Host: ${host}`));
    expect(answer).toMatch(/^content-type: application\/problem\+json\r$/im);
    expect(answer).toMatch(/^cache-control: no-store\r$/im);
    expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im);
    const body = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1);
    expect(JSON.parse(body)).toMatchObject({ status: 400, code: 'invalid-request' });
  }
});

test.each([
  ['an absolute target', 'GET http://localhost/jobs', 'Host: localhost'],
  ['an absolute target over TLS', 'GET https://localhost:3000/jobs', 'Host: localhost:3000'],
  ['an address of IPv6', 'GET /jobs', 'Host: [::1]:3000'],
  ['a name in capital letters', 'GET /jobs', 'Host: LOCALHOST'],
  ['a doubled slash in the query', 'GET /jobs?q=http://u:p@h', 'Host: localhost'],
  ['an upgrade that is not offered', 'GET /jobs', 'Host: localhost', 'Upgrade: websocket'],
])('a request with %s is answered as usual', async (_, line, ...headers) => {
  const { url } = await makeService(databaseUrl);
  expect(await answerTo(url, head(line, ...headers))).toMatch(/^HTTP\/1\.1 200 /);
});

test('the server can stop although a client stays connected after a refused CONNECT', async () => {
  const service = await makeService(databaseUrl);
  const { port } = new URL(service.url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined).resume();
  socket.write(requests['CONNECT of another']);
  await once(socket, 'end');
  await service.stop();
  socket.destroy();
});
