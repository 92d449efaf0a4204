import { beforeAll, expect, test } from 'vitest';
import { explore, replay } from '../../../../src/lab/explore/explore.ts';
import { STEP_MODEL } from '../../../../src/lab/explore/step.ts';
import { tell } from '../../../../src/lab/explore/tell.ts';
import type { Program } from '../../../../src/lab/explore/trial.ts';
import type { WireStage } from '../../../../src/lab/explore/wire/stage.ts';
import { trialOf } from '../../../support/claims-chapter.ts';
import { makeStage } from '../../../support/stage.ts';
import {
  expectCounts,
  firstSlotByTier,
  makeWire,
  proofOf,
  throughWire,
} from '../../../support/wire.ts';

let wire: WireStage;
beforeAll(async () => {
  wire = await makeWire({ patienceMs: 300 });
});

// test/slow/lab/explore/wire/claims.test.ts has more strategies.
test.each(firstSlotByTier.fast)('%s has the counts of the gate below Drizzle', (name) =>
  expectCounts(wire, name, 'first-slot'),
);

test('a program tells nothing that no run asked for', () => {
  expect(wire.remarks.filter((said) => said.includes('asked'))).toEqual([]);
});

test('without the second half of a lone write, the counts differ', async () => {
  const model = { ...STEP_MODEL, loneWriteIsTwo: false };
  const found = await explore(wire, throughWire(wire, trialOf('one-statement')), { model });
  expect([found.schedules, found.faults]).toEqual([6, {}]);
  expect(proofOf('one-statement', 'last-slot').faults).toEqual({ oversold: 6 });
});

test('a schedule has the transcript of the gate below Drizzle', async () => {
  const below = await makeStage();
  const schedule = proofOf('stale-snapshot', 'last-slot').clearest.oversold?.split(',') ?? [];
  const trial = trialOf('stale-snapshot');
  const here = await replay(wire, throughWire(wire, trial), schedule);
  const there = await replay(below, trial, schedule);
  expect(tell(here).transcript).toBe(tell(there).transcript);
});

test('a program that changes its statements ends in a divergence with the step', async () => {
  const ask = throughWire(wire, trialOf('row-lock')).sessions[0] ?? expect.fail();
  const askOtherwise = throughWire(wire, trialOf('naive')).sessions[0] ?? expect.fail();
  let runs = 0;
  // The rehearsal and the first schedule are alike.
  const fickle: Program = (...given) => (++runs > 2 ? askOtherwise : ask)(...given);
  const [, other = expect.fail()] = throughWire(wire, trialOf('naive')).sessions;
  const trial = { ...trialOf('naive'), sessions: [fickle, other] };
  await expect(explore(wire, trial)).rejects.toThrow(
    /The schedule 1.* ran differently when it was played again\. Before: .*for update.* Now: /s,
  );
});
