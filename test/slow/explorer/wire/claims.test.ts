import { beforeAll, test } from 'vitest';
import { strategies } from '../../../../../src/lab/chapters/claims/strategies/index.ts';
import type { WireStage } from '../../../../../src/lab/explore/wire/stage.ts';
import { knownVerdicts } from '../../../../../src/lab/syllabus/known-verdicts.ts';
import { expectCounts, firstSlotByTier, makeWire } from '../../../../support/wire.ts';

let wire: WireStage;
let impatient: WireStage;
beforeAll(async () => {
  // On a busy machine a program may be slow to answer, and a slow program would change the counts.
  wire = await makeWire({ patienceMs: 5_000 });
  // The strategy `mutex` waits in memory, since here all programs are in one process.
  impatient = await makeWire({ patienceMs: 300 });
});

test.each(firstSlotByTier.slow)('%s has the counts of the gate below Drizzle', (name) =>
  expectCounts(name === 'mutex' ? impatient : wire, name, 'first-slot'),
);

const knownOf = (name: string) => knownVerdicts[`claims/${name}`]?.situations.rollback;

// test/campaigns/lab/explore/wire/claims.test.ts has the other situations and strategies.
const MOST = 70;
const quick = strategies.filter(
  ({ name }) => name !== 'mutex' && (knownOf(name)?.schedules ?? MOST) < MOST,
);

test.each([...quick.map(({ name }) => name), 'production'])(
  '%s has the counts of the gate below Drizzle after a rollback',
  (name) => expectCounts(wire, name, 'rollback'),
);
