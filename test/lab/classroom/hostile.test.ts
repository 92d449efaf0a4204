import { readFileSync } from 'node:fs';
import { connect as openSocket } from 'node:net';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';
import { joinFrom, makeRoom } from '../../support/room.ts';

/** A busy machine needs long to update the teacher's page, and to close sockets. */
const SOON = { timeout: 20_000 };

const { room, events, databaseUrl, join, teacher, stranger } = await makeRoom();
const student = await join('Mallory');
const neighbour = await join('Ada');

const ofService: [string, string, unknown?][] = [
  ['GET', '/companies'],
  ['POST', '/companies', { name: 'Mine' }],
  ['POST', '/jobs', { companyId: 1, role: 'Thief' }],
  ['PATCH', '/jobs/1', { capacity: 100 }],
  ['GET', '/jobs/1/claims'],
  ['GET', '/jobs/1/events'],
  ['POST', '/recruiters', { name: 'Me' }],
  ['GET', '/claim-job?jobId=1&recruiterId=1'],
  ['GET', '/webhooks'],
  ['POST', '/companies/1/endpoints', { url: 'http://127.0.0.1/' }],
  ['GET', '/tasks'],
  ['GET', '/workers'],
  ['GET', '/metrics'],
  ['GET', '/healthz'],
  ['GET', '/openapi.json'],
  ['GET', '/docs'],
  ['GET', '/company'],
  ['POST', '/lab/races', { strategy: 'naive' }],
  ['GET', '/web/../package.json'],
  ['GET', '/web/%2e%2e%2fserver.js'],
];

test.each(ofService)('the room does not have %s %s of the service', async (method, path, body) => {
  const { status } = await student.call(method, path, body);
  expect([404, 405]).toContain(status);
});

const forStudents: [string, string, unknown?][] = [
  ['GET', '/jobs'],
  ['POST', '/jobs/1/claims', { recruiterId: 1 }],
  ['GET', '/lab/strategies'],
  ['GET', '/lab/lessons'],
  ['POST', '/lab/plays', { strategy: 'claims/naive' }],
  ['GET', '/lab/explorations?strategy=claims/naive'],
  ['POST', '/lab/sandbox', {}],
  ['POST', '/lab/rounds', { strategies: ['claims/naive'] }],
  ['POST', '/lab/classroom/progress', { lesson: 1, step: 'do' }],
];

describe('a stranger', () => {
  test.each(forStudents)('gets nothing from %s %s', async (method, path, body) => {
    expect((await stranger.call(method, path, body)).status).toBe(401);
    const forged = { Cookie: `${student.cookie.split('=')[0]}=${'0'.repeat(32)}` };
    expect((await stranger.call(method, path, body, forged)).status).toBe(401);
  });

  test('who guesses the code must wait, and people with other addresses can still join', async () => {
    const guess = (code: string, localAddress: string) =>
      joinFrom(room.url, { code, name: 'Guess' }, { localAddress });
    const statuses = [];
    for (let each = 0; each < 12; each++) statuses.push(await guess('AAAAAA', '127.0.0.9'));
    expect(statuses).toEqual([...Array(10).fill(403), 429, 429]);
    expect(await guess(room.code, '127.0.0.9')).toBe(429);
    expect(await guess(room.code, '127.0.0.10')).toBe(200);
  });

  test.each(['evil.example', 'evil.example:4000', '10.9.8.7', 'localhost.evil.example'])(
    'who asks under the host name %s (DNS rebinding) cannot join',
    async (host) => {
      const asked = { code: room.code, name: 'Rebound' };
      expect(await joinFrom(room.url, asked, { headers: { Host: host } })).toBe(403);
    },
  );
});

describe('a student', () => {
  const ofTeacher: [string, string][] = [
    ['GET', '/teacher/classroom'],
    ['GET', '/teacher/room'],
    ['DELETE', '/teacher/students/2'],
  ];
  test.each(ofTeacher)('cannot use the teacher’s %s %s', async (method, path) => {
    for (const secret of ['', room.code, '0'.repeat(32), `${room.secret}0`]) {
      const { status } = await student.call(method, path, undefined, {
        Authorization: `Bearer ${secret}`,
      });
      expect(status).toBe(403);
    }
  });

  test('finds neither the teacher’s secret nor another student’s cookie in any page', async () => {
    for (const path of ['/', '/lab', '/join', '/teacher', '/lab/lessons', '/lab/strategies']) {
      const { body, headers } = await student.call('GET', path);
      const text = JSON.stringify([body, ...headers]);
      expect(text).not.toContain(room.secret);
      expect(text).not.toContain(neighbour.cookie.split('=')[1]);
    }
  });

  test.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)', 400],
    ['<img src=x onerror=a>', '&lt;img src=x onerror=a&gt;', 200],
    ['"><b>Ada', '&quot;&gt;&lt;b&gt;Ada', 200],
    ['Ada\u202egro.live', '<bdi>Adagro.live</bdi>', 200],
    ['A'.repeat(201), '', 400],
    ['\u200b\u200b', '', 400],
    ['\u3164\u2800', '', 400],
  ])('cannot write markup by the name %j', async (name, shown, status) => {
    const { call, answer } = await join(name);
    expect(answer.status).toBe(status);
    if (status === 200) expect((await call('GET', '/lab')).body).toContain(shown);
  });

  test.each([
    ['POST', '/lab/sandbox'],
    ['POST', '/lab/plays'],
    ['POST', '/lab/classroom/progress'],
    ['POST', '/join'],
  ])('cannot send a large body to %s %s', async (method, path) => {
    const { status } = await student.call(method, path, { name: 'x'.repeat(20_000) });
    expect(status).toBe(413);
  });

  test.each([
    { lesson: 99, step: 'do' },
    { lesson: 1, step: 'win' },
    { lesson: 1, step: 'do', prediction: 'Z' },
    { lesson: 1, step: 'do', prediction: '<b>' },
    { lesson: '1', step: 'do' },
    { lesson: 1, step: 'do', name: 'Ada' },
    'no json',
  ])('cannot report the progress %j', async (progress) => {
    expect((await student.call('POST', '/lab/classroom/progress', progress)).status).toBe(400);
  });

  test('is safe from requests that a page of another site sends in the student’s name', async () => {
    const headers = { Origin: 'http://evil.example' };
    const claim = student.call('POST', '/jobs/1/claims', { recruiterId: 1 }, headers);
    expect((await claim).status).toBe(403);
    const asked = student.call('GET', '/lab/explorations?strategy=naive', undefined, headers);
    expect((await asked).status).toBe(403);
  });

  test('who opens too many streams gets 429, and another student is still answered', async () => {
    const streams = Array.from({ length: 6 }, () => '/jobs/events?jobId=1');
    for (const strategy of ['claims/fenced-lease', 'claims/lease'])
      streams.push(`/lab/explorations?strategy=${strategy}&sessions=3`);
    await Promise.all(streams.map((path) => student.follow(path)));
    expect((await student.call('GET', '/jobs')).status).toBe(429);
    expect((await neighbour.call('GET', '/jobs')).status).toBe(200);
  });
});

/**
 * The name of a board's database and of its role. Other tests have databases on this server too.
 */
const OF_BOARD = '^rowlock_scratch_owned_[0-9a-f]+_[0-9]+$';

test('the role of a board may connect to no other board, and has no special rights', async () => {
  for (const each of [student, neighbour]) await each.call('GET', '/jobs/1');
  const keeper = postgres(databaseUrl, { max: 1 });
  const boards = await keeper<{ role: string; reached: string[]; isMore: boolean }[]>`
    select rolname as role,
      array(select datname::text from pg_database
        where datname ~ ${OF_BOARD} and datname in (select rolname from pg_roles)
          and has_database_privilege(owner.oid, datname, 'connect')) as reached,
      rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as "isMore"
    from pg_roles as owner where rolname ~ ${OF_BOARD}`;
  await keeper.end();
  expect(boards.length).toBeGreaterThanOrEqual(2);
  for (const { role, reached, isMore } of boards)
    expect([role, reached, isMore]).toEqual([role, [role], false]);
});

// test/slow/lab/classroom/hostile.test.ts has fifty renames at once, and a thousand attempts to
// join.
test('a rename counts for a student’s limit of requests', async () => {
  const renamer = await join('Renamer');
  const left = async (name: string) => {
    const { headers } = await renamer.call('POST', '/join', { name });
    return Number(/remaining=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  };
  expect([await left('Name 1'), await left('Name 2')]).toEqual([599, 598]);
});

test('one address cannot take all sockets, and idle sockets are closed', async () => {
  const { port } = new URL(room.url);
  const sockets = Array.from({ length: 420 }, () =>
    openSocket({ port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.11' }),
  );
  let closed = 0;
  for (const socket of sockets) socket.on('error', () => undefined).on('close', () => closed++);
  await expect.poll(() => closed, SOON).toBeGreaterThanOrEqual(20);
  const asked = { code: room.code, name: 'From elsewhere' };
  expect(await joinFrom(room.url, asked, { localAddress: '127.0.0.12' })).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test('if the teacher removes a student, the student’s streams end and new requests are refused', async () => {
  const path = '/lab/explorations?strategy=claims/fenced-lease&sessions=3';
  const streams = [await student.follow(path), await student.follow('/jobs/events?jobId=1')];
  for (const { response } of streams) expect(response.status).toBe(200);
  let open = streams.length;
  for (const { ended } of streams) void ended.catch(() => '').then(() => open--);
  const following = await teacher.follow('/teacher/room');
  await expect.poll(() => following.events.length, SOON).toBeGreaterThan(0);
  const { students } = following.events.at(-1)?.data ?? {};
  const mallory = students.find(({ name }: { name: string }) => name === 'Mallory');
  expect((await teacher.call('DELETE', `/teacher/students/${mallory.number}`)).status).toBe(204);
  expect((await teacher.call('DELETE', `/teacher/students/${mallory.number}`)).status).toBe(404);
  await expect.poll(() => open, SOON).toBe(0);
  expect((await student.call('GET', '/lab/strategies')).status).toBe(401);
  expect((await join('In the free place')).answer.status).toBe(200);
});

test('docs/classroom.md lists at least 25 of these attempts', () => {
  const rows = readFileSync(inProject('docs/classroom.md'), 'utf8').match(/^\| \d+ \|/gm) ?? [];
  expect(rows.length).toBeGreaterThanOrEqual(25);
});

test('the room logs no error', () => {
  expect(events).toEqual([]);
});
