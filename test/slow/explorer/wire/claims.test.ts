import { beforeAll, test } from 'vitest';
import type { WireStage } from '../../../../src/explorer/wire/stage.ts';
import { strategies } from '../../../../src/lab/chapters/claims/strategies/index.ts';
import { knownVerdicts } from '../../../../src/lab/syllabus/known-verdicts.ts';
import { expectCounts, firstSlotByTier, makeWire } from '../../../support/wire.ts';

let wire: WireStage;
let impatient: WireStage;
beforeAll(async () => {
  // This timeout is long. On a busy machine, a program may answer slowly. With a short timeout, a
  // slow program would change the counts.
  wire = await makeWire({ patienceMs: 5_000 });
  // This timeout is short, for the strategy `mutex`. All programs are in one process here, so the
  // sessions of `mutex` wait in memory.
  impatient = await makeWire({ patienceMs: 300 });
});

test.each(firstSlotByTier.slow)('%s has the same counts on the wire as below Drizzle', (name) =>
  expectCounts(name === 'mutex' ? impatient : wire, name, 'first-slot'),
);

const knownOf = (name: string) => knownVerdicts[`claims/${name}`]?.situations.rollback;

// test/campaigns/explorer/wire/claims.test.ts tests the other situations and strategies.
const MOST = 70;
const quick = strategies.filter(
  ({ name }) => name !== 'mutex' && (knownOf(name)?.schedules ?? MOST) < MOST,
);

test.each([...quick.map(({ name }) => name), 'production'])(
  '%s has the same counts on the wire as below Drizzle after a rollback',
  (name) => expectCounts(wire, name, 'rollback'),
);
