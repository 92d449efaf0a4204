import { beforeAll, expect, test } from 'vitest';
import { type Exploration, explore } from '../../../../src/explorer/explore.ts';
import type { Stage } from '../../../../src/explorer/stage.ts';
import type { Trial } from '../../../../src/explorer/trial.ts';
import type { WireStage } from '../../../../src/explorer/wire/stage.ts';
import { trialOf } from '../../../support/claims-chapter.ts';
import { makeStage } from '../../../support/stage.ts';
import { makeWire, throughWire } from '../../../support/wire.ts';

let wire: WireStage;
let below: Stage;
beforeAll(async () => {
  [wire, below] = await Promise.all([makeWire({ patienceMs: 2_000 }), makeStage()]);
});

/**
 * Returns the faults except `error`, because the driver throws a different error for a lost
 * connection.
 */
const chapterFaults = ({ faults: { error: _, ...faults } }: Exploration) => faults;

test.each<[string, Partial<Trial>]>([
  ['a process dies', { deaths: 1 }],
  ['an answer is lost', { lostAnswers: 1 }],
])('if %s, the counts on the wire are the same as below Drizzle', async (_, event) => {
  for (const name of ['row-lock', 'one-statement']) {
    const trial = { ...trialOf(name), ...event };
    const found = await explore(wire, throughWire(wire, trial));
    const other = await explore(below, trial);
    expect([found.schedules, chapterFaults(found)]).toEqual([
      other.schedules,
      chapterFaults(other),
    ]);
  }
});
