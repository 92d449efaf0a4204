import { beforeAll, expect, test } from 'vitest';
import { strategies } from '../../../../src/lab/chapters/claims/strategies/index.ts';
import { explore, replay } from '../../../../src/lab/explore/explore.ts';
import { STEP_MODEL } from '../../../../src/lab/explore/step.ts';
import { tell } from '../../../../src/lab/explore/tell.ts';
import type { Program } from '../../../../src/lab/explore/trial.ts';
import type { WireStage } from '../../../../src/lab/explore/wire/stage.ts';
import { knownVerdicts } from '../../../../src/lab/syllabus/known-verdicts.ts';
import { trialOf } from '../../../support/claims-chapter.ts';
import { makeStage } from '../../../support/stage.ts';
import { makeWire, throughWire } from '../../../support/wire.ts';

let wire: WireStage;
beforeAll(async () => {
  wire = await makeWire({ patienceMs: 300 });
});

const proofOf = (name: string, situation: string) =>
  knownVerdicts[`claims/${name}`]?.situations[situation] ?? expect.fail('there is no verdict');

/** The campaigns play all schedules of all strategies. */
const FEW = 24;
const small = strategies.filter(({ name }) => proofOf(name, 'first-slot').schedules <= FEW);

test.each(small.map(({ name }) => name))(
  '%s has the counts of the gate below Drizzle',
  async (name) => {
    const found = await explore(wire, throughWire(wire, trialOf(name, 'first-slot')));
    const { schedules, faults } = proofOf(name, 'first-slot');
    expect([found.schedules, found.faults]).toEqual([schedules, faults]);
  },
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
