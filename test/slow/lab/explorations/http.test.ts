import { expect, test } from 'vitest';
import { makeApp, makeLab } from '../../../support/app.ts';
import { run } from '../../../support/command.ts';
import { follow } from '../../../support/events.ts';

const made = await makeApp();
made.app.route('/lab', makeLab(made));

test('the transcript is the one that the command line prints', async () => {
  const following = await follow((init) =>
    made.app.request('/lab/explorations?strategy=naive', init),
  );
  await following.ended;
  const { ended, stdout } = run('scripts/explore.ts', ['--strategy', 'naive', '--json']);
  await ended;
  const [printed] = JSON.parse(stdout());
  const done = following.events.find(({ name }) => name === 'done');
  const { counterexample } = done?.data ?? expect.fail('no end');
  expect(counterexample.transcript).toBe(printed.counterexample.transcript);
  expect(counterexample.schedule.join()).toBe(printed.counterexample.schedule);
});
