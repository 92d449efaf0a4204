import { beforeAll, expect, test } from 'vitest';
import { explore } from '../../../../src/explorer/explore.ts';
import type { Stage } from '../../../../src/explorer/stage.ts';
import type { WireStage } from '../../../../src/explorer/wire/stage.ts';
import { situationsOf } from '../../../../src/lab/chapters/claims/situations.ts';
import { strategies } from '../../../../src/lab/chapters/claims/strategies/index.ts';
import { knownVerdicts } from '../../../../src/lab/syllabus/known-verdicts.ts';
import { trialOf } from '../../../support/claims-chapter.ts';
import { makeStage } from '../../../support/stage.ts';
import { makeWire, throughWire } from '../../../support/wire.ts';

let wires: [WireStage, ...WireStage[]];
let impatient: WireStage;
let below: Stage;
beforeAll(async () => {
  // On a busy machine a program may be slow to answer, and a slow program would change the counts.
  const patient = () => makeWire({ patienceMs: 5_000 });
  wires = [await patient(), await patient(), await patient()];
  // The strategy `mutex` waits in memory, because all programs run in one process here. The stage
  // notices such a wait only after its patience, so a long patience would make this test slow.
  impatient = await makeWire({ patienceMs: 100 });
  below = await makeStage();
});

/**
 * The cases in which no session waits for a JavaScript promise of the other session, and no
 * statement fails. Separate processes cannot share a promise. The gate on the wire cannot let a
 * statement fail.
 */
const played = strategies.flatMap((strategy) =>
  situationsOf(strategy)
    .filter((each) => !(each.releases || each.raises || each.takesBack || each.firstFails))
    .map((situation) => [strategy.name, situation.name] as const),
);

test.each(played)(
  '%s in %s has the same counts on the wire as in docs/strategies.md',
  { timeout: 300_000 },
  async (name, situation) => {
    const known = knownVerdicts[`claims/${name}`]?.situations[situation];
    const [stage, ...others] = name === 'mutex' ? [impatient] : wires;
    const trial = (each: WireStage) => throughWire(each, trialOf(name, situation));
    const beside = others.map((each) => ({ stage: each, trial: trial(each) }));
    const found = await explore(stage, trial(stage), { beside });
    const other = await explore(below, trialOf(name, situation), { most: MOST_TIMED });
    const cost = (each: typeof found) => `${(each.milliseconds / each.schedules).toFixed(1)} ms`;
    process.stdout.write(
      `${name} ${situation}: ${found.schedules} schedules, ${cost(found)} each, ` +
        `${cost(other)} below Drizzle on one lane\n`,
    );
    expect([found.schedules, found.faults]).toEqual([known?.schedules, known?.faults]);
  },
);

/** The number of schedules that is enough to measure the cost. */
const MOST_TIMED = 50;
