import { expect } from 'vitest';
import { knownVerdicts } from '../../src/lab/syllabus/known-verdicts.ts';
import type { App } from '../../src/service/program/app.ts';
import { follow, newsOf } from './events.ts';

/** Asks the lab for an exploration over HTTP, and follows it. */
export const askExploration = (app: Pick<App, 'request'>, query: string) =>
  follow((init) => app.request(`/lab/explorations?${query}`, init));

/** Explores a strategy over HTTP. The result must be the verdict of docs/strategies.md. */
export async function expectKnownVerdict(
  app: Pick<App, 'request'>,
  name: string,
  situation: string,
) {
  const following = await askExploration(app, `strategy=claims/${name}&situation=${situation}`);
  expect(following.response.headers.get('content-type')).toBe('text/event-stream');
  await following.ended;
  const verdict = knownVerdicts[`claims/${name}`]?.situations[situation];
  const [done, ...rest] = newsOf(following, 'done');
  expect(rest).toEqual([]);
  const { clearest, ...counted } = verdict ?? { clearest: {} };
  expect(done).toMatchObject({
    strategy: `claims/${name}`,
    situation,
    sessions: 2,
    isComplete: true,
    ...counted,
  });
  const schedules = Object.values(clearest);
  if (schedules.length === 0) expect(done.counterexample).toBeNull();
  else expect(schedules).toContain(done.counterexample.schedule.join());
  const progress = newsOf(following, 'progress');
  expect(progress.every(({ of }) => of === verdict?.schedules)).toBe(true);
  const counts = progress.map(({ schedules }) => schedules);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
}
