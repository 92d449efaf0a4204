import { beforeAll, expect, test, vi } from 'vitest';
import type { Experiment } from '../../../src/lab/sandbox/experiment.ts';
import type { App } from '../../../src/service/program/app.ts';
import { makeApp, makeLab, makeService } from '../../support/app.ts';
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
const post = (body: unknown, init: RequestInit = {}, path = '') =>
  app.request(`/lab/sandbox${path}`, {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify(body),
    ...init,
  });
const ask = (experiment: Experiment) => follow((init) => post(experiment, init));
const askForOrder = (body: Experiment & { schedule: string }) =>
  follow((init) => post(body, init, '/orders'));
const newsOf = ({ events }: Following, wanted: string) =>
  events.filter(({ name }) => name === wanted).map(({ data }) => data);
const until = (following: Following, name: string) =>
  vi.waitFor(() => expect(newsOf(following, name)).not.toEqual([]), { timeout: 20_000 });

/** Returns an experiment whose exploration takes until the time limit. */
const long = (number: number): Experiment => ({
  tables: 'create table t (n int)',
  sessions: [1, 2].map(() => `begin; ${'select n from t;'.repeat(9)} commit`),
  check: `select true, ${number}`,
});

test('GET returns the 12 well-known experiments and the limits of an experiment', async () => {
  const { classics, bounds } = (await (await app.request('/lab/sandbox')).json()) as {
    classics: { name: string }[];
    bounds: Record<string, number>;
  };
  expect(classics.map(({ name }) => name)).toContain('doctors-on-call');
  expect(classics).toHaveLength(12);
  expect(bounds).toMatchObject({ sessions: 3 });
});

test('a run sends its progress and its verdict, and a repeated experiment gets the verdict only', async () => {
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

test('the verdict lists all orders, and a program can get the steps of each order', async () => {
  const following = await ask(DOCTORS.broken);
  await following.ended;
  const [done] = newsOf(following, 'done') as { orders: { schedule: string; fault: string }[] }[];
  expect(done?.orders).toHaveLength(20);
  const bad = done?.orders.find(({ fault }) => fault === 'broken');
  const { schedule } = bad as { schedule: string };
  const one = await askForOrder({ ...DOCTORS.broken, schedule });
  await one.ended;
  expect(newsOf(one, 'done')).toMatchObject([
    { schedule: schedule.split(','), faults: ['broken'] },
  ]);
});

test.each([
  ['2,2,2,2', 'Step 4 of the schedule is 2. The choices there: 1.'],
  ['3', 'Step 1 of the schedule is 3. The choices there: 1, 2.'],
])('the order %s is refused with the words: %s', async (schedule, detail) => {
  const following = await askForOrder({ ...DOCTORS.broken, schedule });
  await following.ended;
  expect(newsOf(following, 'failed')).toEqual([{ detail }]);
});

test.each(['1;2', 7, '1,'.repeat(200) + 1])(
  'the malformed order %s is refused',
  async (schedule) => {
    const response = await post({ ...DOCTORS.broken, schedule }, {}, '/orders');
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { detail: 'schedule is an order such as 1,2,2,1, of at most 300 characters' },
    ]);
  },
);

test('if PostgreSQL refuses the check, the stream ends with the reason in words', async () => {
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
])('a malformed experiment is refused with the words: %s', async (message, body) => {
  const response = await post(body);
  expect(response.status).toBe(400);
  expect(((await response.json()) as { detail: string }).detail).toContain(message);
});

test('PUT is answered 405, and a page of another site may not run an experiment', async () => {
  expect((await app.request('/lab/sandbox', { method: 'PUT' })).status).toBe(405);
  const headers = { ...JSON_BODY, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' };
  expect((await post(DOCTORS.broken, { headers })).status).toBe(403);
});

test('a server outside workshop mode has no sandbox', async () => {
  const service = await makeService(await makeDatabase(), { lab: false });
  expect((await fetch(`${service.url}/lab/sandbox`)).status).toBe(404);
});

test('the end of the server ends the runs of the sandbox', async () => {
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
