import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { strategies } from '../../src/lab/chapters/claims/strategies/index.ts';
import { allStrategies } from '../../src/lab/chapters/index.ts';
import type { App } from '../../src/service/program/app.ts';
import { makeApp, makeLab } from '../support/app.ts';

let app: App;

beforeAll(async () => {
  const made = await makeApp();
  app = made.app;
  app.route('/lab', makeLab(made));
});

// biome-ignore lint/suspicious/noExplicitAny: the tests check the contents of answers.
const json = async (response: Response): Promise<any> => response.json();
test('the strategies are listed in the order of the workshop, each with its verdict', async () => {
  const list = await json(await app.request('/lab/strategies'));
  expect(list.map((each: { name: string }) => each.name).slice(0, 2)).toEqual([
    'naive',
    'transaction',
  ]);
  expect(list).toMatchObject(
    allStrategies.map(({ chapter, strategy: { name, idea, promise } }) => ({
      chapter: chapter.name,
      name,
      idea,
      promise,
    })),
  );
  const { situations, ...naive } = list[0];
  expect(naive).toMatchObject({ promise: 'nothing', verdict: 'oversells' });
  expect(situations[0]).toEqual({
    name: 'last-slot',
    idea: 'one slot is left',
    schedules: 20,
    isComplete: true,
    serializationFailures: 0,
    faults: { oversold: 18 },
    clearest: { oversold: '1,1,2,2,2,1' },
  });
});

test('every strategy has the verdict of docs/strategies.md in every situation', async () => {
  const page = readFileSync(new URL('../../docs/strategies.md', import.meta.url), 'utf8');
  const list = await json(await app.request('/lab/strategies'));
  for (const { chapter, name, verdict, situations } of list) {
    const link = `| [\`${name}\`](../src/lab/chapters/${chapter}/`;
    const row = page.split('\n').find((line) => line.startsWith(link));
    const cells = row?.split(' | ') ?? [];
    expect(cells.at(-1)).toMatch(new RegExp(`${verdict} \\|$`));
    // A cell is empty if the strategy is not tried in its situation.
    const tried = cells.slice(2, -1).filter((cell) => cell.trim() !== '');
    const schedules = tried.map((cell) => Number(/of (?:first )?(\d+)$/.exec(cell)?.[1]));
    expect(situations.map((each: { schedules: number }) => each.schedules)).toEqual(schedules);
  }
});

test('the answer about one strategy contains its source', async () => {
  const production = await json(await app.request('/lab/strategies/claims/production'));
  expect(production).toMatchObject({ name: 'production', verdict: 'holds' });
  expect(production.sources.at(-1).path).toBe('src/service/claims/slots.ts');
  const naive = await json(await app.request('/lab/strategies/naive'));
  expect(await json(await app.request('/lab/strategies/claims/naive'))).toEqual(naive);
});

test('a request for an unknown strategy gets 404 and the names of the known strategies', async () => {
  const response = await app.request('/lab/strategies/hope');
  expect(response.status).toBe(404);
  const body = await json(response);
  expect(body.code).toBe('strategy-not-found');
  expect(body.detail).toContain('naive');
});

test('the lab has no route by which a strategy claims a job of the service', async () => {
  for (const { name } of strategies) {
    const path = `/lab/strategies/${name}/claim-job?jobId=1&recruiterId=1`;
    expect((await app.request(path)).status).toBe(404);
  }
});

test.each([
  ['/lab/strategies', 'GET, HEAD'],
  ['/lab/strategies/naive', 'GET, HEAD'],
  ['/lab/strategies/claims/naive', 'GET, HEAD'],
  ['/lab/chapters', 'GET, HEAD'],
  ['/healthz', 'GET, HEAD'],
])('%s answers 405 to any method but %s', async (path, allow) => {
  const response = await app.request(path, { method: 'PUT' });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe(allow);
  expect(response.headers.get('cache-control')).toBe('no-store');
});
