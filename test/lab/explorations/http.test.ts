import { beforeAll, expect, test, vi } from 'vitest';
import { counterexampleOf, explore } from '../../../src/explorer/explore.ts';
import { tell } from '../../../src/explorer/tell.ts';
import { claims } from '../../../src/lab/chapters/claims/index.ts';
import type { App } from '../../../src/service/program/app.ts';
import { makeApp, makeLab, makeService } from '../../support/app.ts';
import { trialOf } from '../../support/claims-chapter.ts';
import { makeDatabase } from '../../support/database.ts';
import { type Following, follow, newsOf } from '../../support/events.ts';
import { askExploration, expectKnownVerdict } from '../../support/explorations.ts';
import { makeStage } from '../../support/stage.ts';

let app: App;

beforeAll(async () => {
  const made = await makeApp();
  app = made.app;
  app.route('/lab', makeLab(made));
});

const ask = (query: string) => askExploration(app, query);
/** Resolves when an event of this name has come. */
const until = (following: Following, name: string) =>
  vi.waitFor(() => expect(newsOf(following, name)).not.toEqual([]), { timeout: 20_000 });

/** This strategy has thousands of schedules, so its exploration does not end during a test. */
const LONG = 'strategy=fenced-lease';

// test/slow/lab/explorations/http.test.ts explores more strategies, and asks the command line too.
test.each([
  ['naive', 'last-slot'],
  ['naive', 'two-slots'],
  ['insert-then-lock', 'rollback'],
])('exploring %s in the situation %s gives the known verdict', (name, situation) =>
  expectKnownVerdict(app, name, situation),
);

test('an exploration over HTTP has the same result as the explorer', async () => {
  const found = await explore(await makeStage(), trialOf('naive'));
  const following = await ask('strategy=naive');
  await following.ended;
  const { schedules, faults } = found;
  const counterexample = tell(
    counterexampleOf(found, claims.faults) ?? expect.fail('no counterexample'),
  );
  expect(newsOf(following, 'done')[0]).toMatchObject({ schedules, faults, counterexample });
});

test('every order is listed with its gravest fault, if somebody asks for the orders', async () => {
  const following = await ask('strategy=naive&orders=listed');
  await following.ended;
  const { orders, schedules } = newsOf(following, 'done')[0];
  expect(schedules).toBe(20);
  expect(orders).toHaveLength(20);
  expect(orders.slice(0, 2)).toEqual([
    { schedule: '1,1,1,2', fault: '' },
    { schedule: '1,1,2,1,2,2', fault: 'oversold' },
  ]);
  expect(orders.filter(({ fault }: { fault: string }) => fault === 'oversold')).toHaveLength(18);
  const counted = await ask('strategy=naive');
  await counted.ended;
  expect(newsOf(counted, 'done')[0]).not.toHaveProperty('orders');
});

test('a second exploration waits, tells its place in the line, and begins when the first caller leaves', async () => {
  const first = await ask(LONG);
  await until(first, 'progress');
  const second = await ask('strategy=no-key-update');
  await until(second, 'queued');
  expect(newsOf(second, 'queued')).toEqual([{ place: 1 }]);
  const third = await ask('strategy=counter-row');
  await until(third, 'queued');
  expect(newsOf(third, 'queued')).toEqual([{ place: 2 }]);
  first.leave();
  await third.ended;
  expect(newsOf(second, 'done')[0]).toMatchObject({ schedules: 8, faults: {} });
  expect(newsOf(third, 'queued').at(-1)).toEqual({ place: 1 });
  expect(newsOf(third, 'done')).toHaveLength(1);
  // The first exploration was stopped before its end. Otherwise its result would be known now.
  expect(newsOf(first, 'done')).toEqual([]);
  const again = await ask(LONG);
  await until(again, 'progress');
  expect(newsOf(again, 'done')).toEqual([]);
});

test('two callers with the same question share one exploration, which goes on when one caller leaves', async () => {
  const [one, other] = [await ask(LONG), await ask(LONG)];
  await Promise.all([until(one, 'progress'), until(other, 'progress')]);
  const behind = await ask('strategy=one-statement&situation=two-slots');
  await until(behind, 'queued');
  expect(newsOf(behind, 'queued')).toEqual([{ place: 1 }]);
  one.leave();
  const before = newsOf(other, 'progress').length;
  await vi.waitFor(() => expect(newsOf(other, 'progress').length).toBeGreaterThan(before), {
    timeout: 20_000,
  });
});

test('a known result is sent immediately, although another exploration runs', async () => {
  await (await ask('strategy=claims/advisory-lock')).ended;
  const busy = await ask(LONG);
  await until(busy, 'progress');
  const again = await ask('strategy=claims/advisory-lock');
  await again.ended;
  expect(again.events.map(({ name }) => name)).toEqual(['done']);
});

test('when the line is full, the answer is 503 busy, with the seconds to wait', async () => {
  await until(await ask(LONG), 'progress');
  const situations = ['first-slot', 'two-slots', 'rollback', 'rollback-again'];
  const names = ['share-lock', 'early-unlock', 'one-statement', 'lost-update', 'unique-slot'];
  for (const strategy of names)
    for (const situation of situations)
      expect((await ask(`strategy=${strategy}&situation=${situation}`)).response.status).toBe(200);
  const refused = await app.request('/lab/explorations?strategy=optimistic');
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await refused.json()).toMatchObject({ code: 'busy' });
});

test.each([
  ['strategy=naive&sessions=4', 400, 'sessions is 2 or 3'],
  ['strategy=naive&orders=all', 400, 'orders is counted or listed'],
  ['strategy=naive&situation=war', 400, 'The situations of naive are last-slot, first-slot'],
  ['strategy=naive&scenario=two-slots', 400, 'query has unknown parameters: scenario'],
  ['', 400, 'strategy says which strategy is explored'],
  ['strategy=clams/naive', 404, 'There is no chapter "clams". The chapters are claims, queue'],
  ['strategy=hope', 404, 'The strategies of claims are naive'],
])('the query “%s” gets the status %i and the detail: %s', async (query, status, detail) => {
  const response = await app.request(`/lab/explorations?${query}`);
  expect(response.status).toBe(status);
  expect(((await response.json()) as { detail: string }).detail).toContain(detail);
});

test('only GET starts an exploration, HEAD starts none, and a page of another site is refused', async () => {
  const at = '/lab/explorations?strategy=naive';
  expect((await app.request(at, { method: 'POST' })).status).toBe(405);
  expect(await (await app.request(at, { method: 'HEAD' })).text()).toBe('');
  const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' };
  expect((await app.request(at, { headers })).status).toBe(403);
});

test('a server that stops ends its streams, and drops its scratch databases', async () => {
  const service = await makeService(await makeDatabase());
  const following = await follow((init) => fetch(`${service.url}/lab/explorations?${LONG}`, init));
  await until(following, 'progress');
  await service.stop();
  await following.ended;
  expect(newsOf(following, 'done')).toEqual([]);
});
