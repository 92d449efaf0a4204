import { beforeAll, expect, test } from 'vitest';
import { explore, replay } from '../../../src/explorer/explore.ts';
import { STEP_MODEL } from '../../../src/explorer/step.ts';
import { tell } from '../../../src/explorer/tell.ts';
import type { Program } from '../../../src/explorer/trial.ts';
import type { WireStage } from '../../../src/explorer/wire/stage.ts';
import { trialOf } from '../../support/claims-chapter.ts';
import { makeStage } from '../../support/stage.ts';
import {
  expectCounts,
  firstSlotByTier,
  makeWire,
  proofOf,
  throughWire,
} from '../../support/wire.ts';

let wire: WireStage;
beforeAll(async () => {
  wire = await makeWire({ patienceMs: 300 });
});

// test/slow/explorer/wire/claims.test.ts has more strategies.
test.each(firstSlotByTier.fast)('%s has the same counts on the wire as below Drizzle', (name) =>
  expectCounts(wire, name, 'first-slot'),
);

test('programs send only statements that a run has asked for', () => {
  expect(wire.remarks.filter((said) => said.includes('asked'))).toEqual([]);
});

test('if an autocommit write is only one step, the faults of one-statement are not found', async () => {
  const model = { ...STEP_MODEL, autocommitWriteIsTwo: false };
  const found = await explore(wire, throughWire(wire, trialOf('one-statement')), { model });
  expect([found.schedules, found.faults]).toEqual([6, {}]);
  expect(proofOf('one-statement', 'last-slot').faults).toEqual({ oversold: 6 });
});

test('a schedule has the same transcript on the wire as below Drizzle', async () => {
  const below = await makeStage();
  const schedule = proofOf('stale-snapshot', 'last-slot').clearest.oversold?.split(',') ?? [];
  const trial = trialOf('stale-snapshot');
  const here = await replay(wire, throughWire(wire, trial), schedule);
  const there = await replay(below, trial, schedule);
  expect(tell(here).transcript).toBe(tell(there).transcript);
});

test('if a program changes its statements, the error names the step that differs', async () => {
  const ask = throughWire(wire, trialOf('row-lock')).sessions[0] ?? expect.fail();
  const askOtherwise = throughWire(wire, trialOf('naive')).sessions[0] ?? expect.fail();
  let runs = 0;
  // In the rehearsal and in the first schedule, the program sends the same statements.
  const fickle: Program = (...given) => (++runs > 2 ? askOtherwise : ask)(...given);
  const [, other = expect.fail()] = throughWire(wire, trialOf('naive')).sessions;
  const trial = { ...trialOf('naive'), sessions: [fickle, other] };
  await expect(explore(wire, trial)).rejects.toThrow(
    /The schedule 1.* ran differently when it was played again\. Before: .*for update.* Now: /s,
  );
});
