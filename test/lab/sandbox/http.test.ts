import postgres from 'postgres';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Experiment } from '../../../src/lab/sandbox/experiment.ts';
import type { App } from '../../../src/service/app.ts';
import { makeApp, makeLab, makeService } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { DOCTORS } from '../../support/doctors.ts';
import { type Following, follow } from '../../support/events.ts';

let app: App;

beforeAll(async () => {
  const made = await makeApp();
  app = made.app;
  app.route('/lab', makeLab(made));
});

const JSON_BODY = { 'Content-Type': 'application/json' };
const post = (body: unknown, init: RequestInit = {}) =>
  app.request('/lab/sandbox', {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify(body),
    ...init,
  });
const ask = (experiment: Experiment) => follow((init) => post(experiment, init));
const newsOf = ({ events }: Following, wanted: string) =>
  events.filter(({ name }) => name === wanted).map(({ data }) => data);
const until = (following: Following, name: string) =>
  vi.waitFor(() => expect(newsOf(following, name)).not.toEqual([]), { timeout: 20_000 });

/** Its exploration takes until the time limit. */
const long = (number: number): Experiment => ({
  tables: 'create table t (n int)',
  sessions: [1, 2].map(() => `begin; ${'select n from t;'.repeat(9)} commit`),
  check: `select true, ${number}`,
});

test('the page gets the classics and the bounds', async () => {
  const { classics, bounds } = (await (await app.request('/lab/sandbox')).json()) as {
    classics: { name: string }[];
    bounds: Record<string, number>;
  };
  expect(classics.map(({ name }) => name)).toContain('doctors-on-call');
  expect(classics).toHaveLength(12);
  expect(bounds).toMatchObject({ sessions: 3 });
});

test('an experiment is answered with its verdict and its clearest counterexample', async () => {
  const following = await ask(DOCTORS.broken);
  expect(following.response.headers.get('content-type')).toBe('text/event-stream');
  await following.ended;
  expect(newsOf(following, 'done')).toHaveLength(1);
  expect(newsOf(following, 'done')[0]).toMatchObject({ schedules: 20, faults: { broken: 18 } });
  expect(newsOf(following, 'progress')[0]).toEqual({ schedules: 0, of: null });
  const again = await ask(DOCTORS.broken);
  await again.ended;
  expect(again.events.map(({ name }) => name)).toEqual(['done']);
});

test('a run that its listener leaves gives its place back', async () => {
  const first = [await ask(long(3)), await ask(long(4))];
  await Promise.all(first.map((each) => until(each, 'progress')));
  const next = await ask({ ...DOCTORS.broken, check: 'select count(*) >= 0, 1 from doctors' });
  await until(next, 'queued');
  for (const each of first) each.leave();
  await next.ended;
  expect(newsOf(next, 'done')).toHaveLength(1);
});

test('a fault of the text that only PostgreSQL finds ends the stream in words', async () => {
  const following = await ask({ ...DOCTORS.broken, check: 'select true from nowhere' });
  await following.ended;
  const detail = 'check, line 1: relation "nowhere" does not exist';
  expect(newsOf(following, 'failed')).toEqual([{ detail }]);
});

const { tables, sessions, check } = DOCTORS.broken;

test.each<[string, unknown]>([
  ['sessions is a list of two or three texts', { tables, sessions: ['select 1'], check }],
  ['sessions is a list of two or three texts', { tables, sessions: Array(4).fill('x'), check }],
  ['is a text of at most 1500 characters', { tables, sessions: ['x'.repeat(1501), ''], check }],
  ['is a text of at most 3000 characters', { tables: ' '.repeat(3001), sessions, check }],
  ['is a text of at most 1000 characters', { tables, sessions, check: 1 }],
  ['session 1, line 1: "set role" is not', { tables, sessions: ['set role x', 'select 1'], check }],
])('%s', async (message, body) => {
  const response = await post(body);
  expect(response.status).toBe(400);
  expect(((await response.json()) as { detail: string }).detail).toContain(message);
});

test('only GET and POST are known, and no page of another site may run anything', async () => {
  expect((await app.request('/lab/sandbox', { method: 'PUT' })).status).toBe(405);
  const headers = { ...JSON_BODY, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' };
  expect((await post(DOCTORS.broken, { headers })).status).toBe(403);
});

test('a server outside workshop mode has no sandbox', async () => {
  const service = await makeService(await makeDatabase(), { lab: false });
  expect((await fetch(`${service.url}/lab/sandbox`)).status).toBe(404);
});

test('with an account that may not create roles, the sandbox says that it is off', async () => {
  const databaseUrl = await makeDatabase();
  const sql = postgres(databaseUrl, { max: 1 });
  const name = `teacher_${process.pid}`;
  await sql.unsafe(`create role ${name} login createdb password 'teacher'`);
  atEnd(async () => {
    await sql.unsafe(`drop role ${name}`);
    await sql.end();
  });
  const url = new URL(databaseUrl);
  url.username = name;
  url.password = 'teacher';
  const { app } = await makeApp();
  app.route('/lab', makeLab({ databaseUrl: url.href }));
  const body = JSON.stringify(DOCTORS.broken);
  const following = await follow(async (init) =>
    app.request('/lab/sandbox', { ...init, method: 'POST', headers: JSON_BODY, body }),
  );
  await following.ended;
  expect(newsOf(following, 'failed')[0]?.detail).toMatch(/^The sandbox is off: /);
});

test('a server that stops ends its runs, and drops their databases and roles', async () => {
  const service = await makeService(await makeDatabase());
  const body = JSON.stringify(long(5));
  const following = await follow((init) =>
    fetch(`${service.url}/lab/sandbox`, { ...init, method: 'POST', headers: JSON_BODY, body }),
  );
  await until(following, 'progress');
  await service.stop();
  await following.ended;
  expect(newsOf(following, 'done')).toEqual([]);
});
