import { beforeAll, expect, test } from 'vitest';
import { situationsOf } from '../../../../../src/lab/chapters/claims/situations.ts';
import { strategies } from '../../../../../src/lab/chapters/claims/strategies/index.ts';
import { explore } from '../../../../../src/lab/explore/explore.ts';
import type { WireStage } from '../../../../../src/lab/explore/wire/stage.ts';
import { knownVerdicts } from '../../../../../src/lab/syllabus/known-verdicts.ts';
import { trialOf } from '../../../../support/claims-chapter.ts';
import { makeWire, throughWire } from '../../../../support/wire.ts';

let wire: WireStage;
beforeAll(async () => {
  // The strategy `mutex` waits in memory, since here all programs are in one process.
  wire = await makeWire({ patienceMs: 100 });
});

// test/campaigns/lab/explore/wire/claims.test.ts has the other situations.
const rolledBack = strategies.filter((strategy) =>
  situationsOf(strategy).some(({ name }) => name === 'rollback'),
);

test.each(rolledBack.map(({ name }) => name))(
  '%s has the counts of the gate below Drizzle after a rollback',
  async (name) => {
    const found = await explore(wire, throughWire(wire, trialOf(name, 'rollback')));
    const known = knownVerdicts[`claims/${name}`]?.situations.rollback;
    expect([found.schedules, found.faults]).toEqual([known?.schedules, known?.faults]);
  },
);
