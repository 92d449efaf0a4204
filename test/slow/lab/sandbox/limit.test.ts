import { expect, test, vi } from 'vitest';
import type { Experiment } from '../../../../src/lab/sandbox/experiment.ts';
import { PLACES } from '../../../../src/lab/sandbox/sandbox.ts';
import { makeApp, makeLab } from '../../../support/app.ts';
import { DOCTORS } from '../../../support/doctors.ts';
import { type Following, follow } from '../../../support/events.ts';

const made = await makeApp();
made.app.route('/lab', makeLab(made));

const ask = (experiment: Experiment) =>
  follow((init) =>
    made.app.request('/lab/sandbox', {
      ...init,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(experiment),
    }),
  );
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

test('while five long runs go on, the next run waits no longer than their time limit', async () => {
  const first = await Promise.all(Array.from({ length: PLACES }, (_, index) => ask(long(index))));
  await Promise.all(first.map((each) => until(each, 'progress')));
  const next = await ask({ ...DOCTORS.broken, check: 'select count(*) >= 0 from doctors' });
  await until(next, 'queued');
  expect(newsOf(next, 'queued')).toEqual([{ place: 1 }]);
  await next.ended;
  expect(newsOf(next, 'done')[0]).toMatchObject({ schedules: 20, faults: {} });
  await Promise.all(first.map(({ ended }) => ended));
  for (const { events } of first) {
    expect(events.at(-1)).toMatchObject({ name: 'done', data: { isComplete: false } });
    expect(events.at(-1)?.data.schedules).toBeLessThanOrEqual(1000);
    expect(events.at(-1)?.data.milliseconds).toBeLessThan(10_000);
  }
});

test('a run ends when its only listener leaves, and then a waiting run begins', async () => {
  const first = await Promise.all(Array.from({ length: PLACES }, (_, index) => ask(long(index))));
  await Promise.all(first.map((each) => until(each, 'progress')));
  const next = await ask({ ...DOCTORS.broken, check: 'select count(*) >= 0, 1 from doctors' });
  await until(next, 'queued');
  for (const each of first) each.leave();
  await next.ended;
  expect(newsOf(next, 'done')).toHaveLength(1);
});
