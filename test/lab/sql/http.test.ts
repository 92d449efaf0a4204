import { beforeAll, expect, test, vi } from 'vitest';
import type { App } from '../../../src/service/program/app.ts';
import { makeApp, makeLab } from '../../support/app.ts';
import { type Following, follow } from '../../support/events.ts';
import { lessonsWithScript, scriptFile } from '../../support/scripts.ts';

let app: App;

beforeAll(async () => {
  const made = await makeApp();
  app = made.app;
  app.route('/lab', makeLab(made));
});

const post = (body: unknown, path = '', init: RequestInit = {}) =>
  app.request(`/lab/scripts${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
const ask = (body: unknown, path = '') => follow((init) => post(body, path, init));
const newsOf = ({ events }: Following, wanted: string) =>
  events.filter(({ name }) => name === wanted).map(({ data }) => data);

const lock = lessonsWithScript.find(({ number }) => number === 4);
const starter = lock ? scriptFile(lock, 'starter') : '';

test('GET lists the names and the commands of each lesson with a script', async () => {
  const rules = await (await app.request('/lab/scripts')).json();
  expect(rules).toHaveLength(10);
  expect(rules).toContainEqual(
    expect.objectContaining({
      lesson: 11,
      chapter: 'queue',
      names: { worker: 'the name of the worker' },
      commands: { send: expect.stringContaining('Sends the mail') },
    }),
  );
});

test('a wrong script sends its first counterexample, and then its verdict with a map', async () => {
  const following = await ask({ lesson: 4, text: starter });
  await vi.waitFor(() => expect(newsOf(following, 'first')).toHaveLength(1), { timeout: 20_000 });
  expect(newsOf(following, 'first')).toMatchObject([
    { kind: 'falls', result: 'oversold in last-slot', shown: { faults: ['oversold'] } },
  ]);
  await following.ended;
  const [done] = newsOf(following, 'done') as { map: { orders: unknown[] } }[];
  expect(done).toMatchObject({ kind: 'falls', map: { situation: 'last-slot', isComplete: true } });
  expect(done?.map.orders).toHaveLength(20);
  const again = await ask({ lesson: 4, text: starter });
  await again.ended;
  expect(again.events.map(({ name }) => name)).toEqual(['done']);
});

test('a schedule of a script can be played, step by step', async () => {
  const asked = { lesson: 4, text: starter, situation: 'last-slot' };
  const following = await ask({ ...asked, schedule: ['1', '2'] }, '/plays');
  await following.ended;
  expect(newsOf(following, 'done')).toMatchObject([
    { isOver: false, choices: ['1', '2'], told: { schedule: ['1', '2'] } },
  ]);
  const wrong = await ask({ ...asked, schedule: ['3'] }, '/plays');
  await wrong.ended;
  expect(newsOf(wrong, 'failed')).toEqual([
    { detail: 'Step 1 of the schedule is 3. The choices there: 1, 2.' },
  ]);
});

test.each([
  ['{', 'not JSON'],
  [{ lesson: 4 }, 'is a text of at most 3000 characters'],
  [{ lesson: 4, text: 'x'.repeat(3_001) }, 'is a text of at most 3000 characters'],
  [{ lesson: 'four', text: '' }, 'is the number of a lesson'],
  [{ lesson: 4, text: '', more: 1 }, 'more'],
  [{ lesson: 4, text: 'drop table jobs' }, 'script, line 1: "drop table" is not allowed here.'],
  [{ lesson: 1, text: 'select 1' }, 'Lesson 1 has no script. The lessons with a script are 3, 4,'],
])('a wrong request gets one line: %j', async (body, words) => {
  const response = await post(body);
  expect(response.status).toBe(400);
  expect(JSON.stringify(await response.json())).toContain(words.replaceAll('"', '\\"'));
});

test('a wrong situation gets one line', async () => {
  const asked = { lesson: 4, text: starter, situation: 'nowhere', schedule: [] };
  const response = await post(asked, '/plays');
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('There is no situation');
});
