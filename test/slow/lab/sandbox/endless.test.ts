import { expect, test } from 'vitest';
import type { Experiment } from '../../../../src/lab/sandbox/experiment.ts';
import { TOO_LONG } from '../../../../src/lab/sandbox/watch.ts';
import { makeApp, makeLab } from '../../../support/app.ts';
import { DOCTORS } from '../../../support/doctors.ts';
import { endless, SOME_ENDLESS } from '../../../support/endless.ts';
import { follow } from '../../../support/events.ts';

test('attackers are told that a statement ran too long, and another student gets the usual result', async () => {
  const made = await makeApp();
  made.app.route('/lab', makeLab(made));
  const headers = { 'Content-Type': 'application/json' };
  const ask = (experiment: Experiment) =>
    follow((init) =>
      made.app.request('/lab/sandbox', {
        ...{ ...init, method: 'POST', headers, body: JSON.stringify(experiment) },
      }),
    );
  const attacks = await Promise.all(SOME_ENDLESS.map((each) => ask(endless(each))));
  const neighbour = await ask(DOCTORS.broken);
  await Promise.all([...attacks, neighbour].map(({ ended }) => ended));
  for (const { events } of attacks)
    expect(events.at(-1)).toEqual({ name: 'failed', data: { detail: TOO_LONG } });
  expect(neighbour.events.at(-1)).toMatchObject({ name: 'done', data: { schedules: 20 } });
});
