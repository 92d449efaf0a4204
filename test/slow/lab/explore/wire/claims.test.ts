import { beforeAll, expect, test } from 'vitest';
import { strategies } from '../../../../../src/lab/chapters/claims/strategies/index.ts';
import { explore } from '../../../../../src/lab/explore/explore.ts';
import type { WireStage } from '../../../../../src/lab/explore/wire/stage.ts';
import { knownVerdicts } from '../../../../../src/lab/syllabus/known-verdicts.ts';
import { trialOf } from '../../../../support/claims-chapter.ts';
import { makeWire, throughWire } from '../../../../support/wire.ts';

let wire: WireStage;
beforeAll(async () => {
  // On a busy machine a program may be slow to answer, and a slow program would change the counts.
  wire = await makeWire({ patienceMs: 5_000 });
});

const knownOf = (name: string) => knownVerdicts[`claims/${name}`]?.situations.rollback;

// test/campaigns/lab/explore/wire/claims.test.ts has the other situations and strategies.
const MOST = 70;
/** The strategy `mutex` waits in memory, since here all programs are in one process. */
const quick = strategies.filter(
  ({ name }) => name !== 'mutex' && (knownOf(name)?.schedules ?? MOST) < MOST,
);

test.each([...quick.map(({ name }) => name), 'production'])(
  '%s has the counts of the gate below Drizzle after a rollback',
  async (name) => {
    const found = await explore(wire, throughWire(wire, trialOf(name, 'rollback')));
    const known = knownOf(name);
    expect([found.schedules, found.faults]).toEqual([known?.schedules, known?.faults]);
  },
);
