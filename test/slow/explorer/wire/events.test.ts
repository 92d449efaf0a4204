import { beforeAll, expect, test } from 'vitest';
import { type Exploration, explore } from '../../../../../src/lab/explore/explore.ts';
import type { Stage } from '../../../../../src/lab/explore/stage.ts';
import type { Trial } from '../../../../../src/lab/explore/trial.ts';
import type { WireStage } from '../../../../../src/lab/explore/wire/stage.ts';
import { trialOf } from '../../../../support/claims-chapter.ts';
import { makeStage } from '../../../../support/stage.ts';
import { makeWire, throughWire } from '../../../../support/wire.ts';

let wire: WireStage;
let below: Stage;
beforeAll(async () => {
  [wire, below] = await Promise.all([makeWire({ patienceMs: 2_000 }), makeStage()]);
});

/** The faults of the chapter. The driver has an error of its own for a lost connection. */
const chapterFaults = ({ faults: { error: _, ...faults } }: Exploration) => faults;

test.each<[string, Partial<Trial>]>([
  ['a process dies', { deaths: 1 }],
  ['an answer is lost', { lostAnswers: 1 }],
])('the counts are those of the gate below Drizzle where %s', async (_, event) => {
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
