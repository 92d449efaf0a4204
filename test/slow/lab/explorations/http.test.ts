import { expect, test } from 'vitest';
import { makeApp, makeLab } from '../../../support/app.ts';
import { run } from '../../../support/command.ts';
import { newsOf } from '../../../support/events.ts';
import { askExploration, expectKnownVerdict } from '../../../support/explorations.ts';

const made = await makeApp();
made.app.route('/lab', makeLab(made));

test.each([
  ['row-lock', 'rollback-again'],
  ['skip-locked', 'rollback'],
])('exploring %s in the situation %s gives the known verdict', (name, situation) =>
  expectKnownVerdict(made.app, name, situation),
);

test('an exploration over HTTP has the same transcript as the command line', async () => {
  const following = await askExploration(made.app, 'strategy=naive');
  await following.ended;
  const { ended, stdout } = run('scripts/explore.ts', ['--strategy', 'naive', '--json']);
  await ended;
  const [printed] = JSON.parse(stdout());
  const { counterexample } = newsOf(following, 'done')[0] ?? expect.fail('no end');
  expect(counterexample.transcript).toBe(printed.counterexample.transcript);
  expect(counterexample.schedule.join()).toBe(printed.counterexample.schedule);
});
