import { beforeAll, expect, test } from 'vitest';
import { situationsOf } from '../../../../../src/lab/chapters/claims/situations.ts';
import { strategies } from '../../../../../src/lab/chapters/claims/strategies/index.ts';
import { explore } from '../../../../../src/lab/explore/explore.ts';
import type { Stage } from '../../../../../src/lab/explore/stage.ts';
import type { WireStage } from '../../../../../src/lab/explore/wire/stage.ts';
import { knownVerdicts } from '../../../../../src/lab/syllabus/known-verdicts.ts';
import { trialOf } from '../../../../support/claims-chapter.ts';
import { makeStage } from '../../../../support/stage.ts';
import { makeWire, throughWire } from '../../../../support/wire.ts';

let wire: WireStage;
let impatient: WireStage;
let below: Stage;
beforeAll(async () => {
  // On a busy machine a program may be slow to answer, and a slow program would change the counts.
  wire = await makeWire({ patienceMs: 5_000 });
  // The strategy `mutex` waits in memory, since here all programs are in one process.
  impatient = await makeWire({ patienceMs: 100 });
  below = await makeStage();
});

/** In `freed`, one session waits for a promise of the other. Separate processes have no such promise. */
const played = strategies.flatMap((strategy) =>
  situationsOf(strategy)
    .filter(({ name }) => name !== 'freed')
    .map((situation) => [strategy.name, situation.name] as const),
);

test.each(played)(
  '%s in %s has the counts of the gate below Drizzle',
  { timeout: 300_000 },
  async (name, situation) => {
    const known = knownVerdicts[`claims/${name}`]?.situations[situation];
    const stage = name === 'mutex' ? impatient : wire;
    const found = await explore(stage, throughWire(stage, trialOf(name, situation)));
    const other = await explore(below, trialOf(name, situation), { most: MOST_TIMED });
    const cost = (each: typeof found) => `${(each.milliseconds / each.schedules).toFixed(1)} ms`;
    process.stdout.write(
      `${name} ${situation}: ${found.schedules} schedules, ${cost(found)} each, ` +
        `${cost(other)} below Drizzle\n`,
    );
    expect([found.schedules, found.faults]).toEqual([known?.schedules, known?.faults]);
  },
);

/** So many schedules tell the cost. */
const MOST_TIMED = 50;
