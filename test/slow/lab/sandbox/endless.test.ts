import { expect, test } from 'vitest';
import { TOO_LONG } from '../../../../src/lab/sandbox/watch.ts';
import { DOCTORS } from '../../../support/doctors.ts';
import { endless, SOME_ENDLESS } from '../../../support/endless.ts';
import { endDuringAttacks, startSandbox } from '../../../support/sandbox-attack.ts';

test('attackers are told that a statement ran too long, and another student gets the usual result', async () => {
  const { ask } = await startSandbox();
  const attacks = await Promise.all(SOME_ENDLESS.map((each) => ask(endless(each))));
  const neighbour = await ask(DOCTORS.broken);
  await Promise.all([...attacks, neighbour].map(({ ended }) => ended));
  for (const { events } of attacks)
    expect(events.at(-1)).toEqual({ name: 'failed', data: { detail: TOO_LONG } });
  expect(neighbour.events.at(-1)).toMatchObject({ name: 'done', data: { schedules: 20 } });
});

// test/campaigns/lab/sandbox/stop.test.ts tries other signals and a classroom, and measures the time.
test('a server that ends by SIGTERM during endless statements leaves no process and no folder', async () => {
  const server = await startSandbox();
  await endDuringAttacks(server, 'SIGTERM', server.ask);
});
