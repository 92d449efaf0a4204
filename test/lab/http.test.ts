import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../src/app.ts';
import { strategies } from '../../src/lab/strategies/index.ts';
import { makeApp, makeLab } from '../support/app.ts';

let app: App;

beforeAll(async () => {
  const made = await makeApp();
  app = made.app;
  app.route('/lab', makeLab(made));
});

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the tests are about.
const json = async (response: Response): Promise<any> => response.json();
const post = (body: unknown) =>
  app.request('/lab/races', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe.each(strategies.map(({ name }) => name))('%s', (name) => {
  test('gives one recruiter after another the same answers as production', async () => {
    const { jobId } = await json(await post({ capacity: 2, recruiters: 3 }));
    const ask = async (recruiterId: number, job: unknown = jobId) => {
      const path = `/lab/strategies/${name}/claim-job?jobId=${job}&recruiterId=${recruiterId}`;
      const response = await app.request(path);
      return [response.status, (await json(response)).code];
    };
    expect(await ask(1)).toEqual([200, undefined]);
    expect(await ask(1)).toEqual([409, 'already-claimed']);
    expect(await ask(9_999_999)).toEqual([404, 'recruiter-not-found']);
    expect(await ask(2)).toEqual([200, undefined]);
    expect(await ask(3)).toEqual([403, 'job-full']);
    expect(await ask(2)).toEqual([409, 'already-claimed']);
    expect(await ask(1, 9_999_999)).toEqual([404, 'job-not-found']);
    expect(await json(await app.request(`/lab/races/${jobId}`))).toEqual({
      capacity: 2,
      claims: 2,
    });
    expect((await app.request(`/lab/races/${jobId}`, { method: 'DELETE' })).status).toBe(204);
    expect((await app.request(`/lab/races/${jobId}`)).status).toBe(404);
  });
});

test('the strategies are listed in the order of the syllabus, with what is proven of them', async () => {
  const list = await json(await app.request('/lab/strategies'));
  expect(list.map((each: { name: string }) => each.name).slice(0, 2)).toEqual([
    'naive',
    'transaction',
  ]);
  expect(list).toMatchObject(
    strategies.map(({ name, idea, promise }) => ({ name, idea, promise })),
  );
  const { settings, ...naive } = list[0];
  expect(naive).toMatchObject({ promise: 'nothing', verdict: 'oversells' });
  expect(settings[0]).toEqual({
    name: 'last-slot',
    idea: 'one slot is left',
    schedules: 20,
    serializationFailures: 0,
    faults: { oversold: 18 },
    clearest: { oversold: '1,1,2,2,2,1' },
  });
});

test('the verdicts are those of the README, for every strategy in every setting', async () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  for (const { name, verdict, settings } of await json(await app.request('/lab/strategies'))) {
    const row = readme.split('\n').find((line) => line.startsWith(`| [\`${name}\`]`));
    const cells = row?.split(' | ') ?? [];
    expect(cells.at(-1)).toMatch(new RegExp(`${verdict} \\|$`));
    const schedules = cells.slice(2, -1).map((cell) => Number(/of (\d+)$/.exec(cell)?.[1]));
    expect(settings.map((each: { schedules: number }) => each.schedules)).toEqual(schedules);
  }
});

test('one strategy comes with its source', async () => {
  const rowLock = await json(await app.request('/lab/strategies/row-lock'));
  expect(rowLock).toMatchObject({ name: 'row-lock', verdict: 'holds' });
  expect(rowLock.sources.at(-1).path).toBe('src/claims/claim-job.ts');
});

test.each(['/lab/strategies/hope/claim-job?jobId=1&recruiterId=1', '/lab/strategies/hope'])(
  '%s is answered 404 with the names of the known ones',
  async (path) => {
    const response = await app.request(path);
    expect(response.status).toBe(404);
    const body = await json(response);
    expect(body.code).toBe('strategy-not-found');
    expect(body.detail).toContain('naive');
  },
);

test('a race has as many recruiters as were asked for, made where they are missing', async () => {
  const response = await post({ capacity: 4, recruiters: 150 });
  expect(response.status).toBe(201);
  const { jobId, recruiterIds } = await json(response);
  expect(response.headers.get('location')).toBe(`/lab/races/${jobId}`);
  expect(new Set(recruiterIds).size).toBe(150);
});

test.each(['', '[]', '{"capacity":0}', '{"recruiters":1001}', '{"capacity":"4"}', 'not json'])(
  'a race with the body %j is answered 400',
  async (body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await json(response)).toMatchObject({ code: 'invalid-request' });
  },
);

test.each([
  ['/lab/strategies', 'GET, HEAD'],
  ['/lab/strategies/naive', 'GET, HEAD'],
  ['/lab/races', 'POST'],
  ['/lab/races/1', 'GET, HEAD, DELETE'],
  ['/healthz', 'GET, HEAD'],
])('%s answers 405 to any method but %s', async (path, allow) => {
  const response = await app.request(path, { method: 'PUT' });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe(allow);
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('a body beyond the limit is answered 413 as a problem', async () => {
  const response = await post(JSON.stringify({ capacity: 4, padding: 'x'.repeat(2_000) }));
  expect(response.status).toBe(413);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
});

test('a job that the lab did not make is not shown and not removed', async () => {
  expect((await app.request('/lab/races/1')).status).toBe(404);
  expect((await app.request('/lab/races/1', { method: 'DELETE' })).status).toBe(404);
});
