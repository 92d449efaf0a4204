import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Exploration, explore } from '../../../src/explorer/explore.ts';
import { lanesOf } from '../../../src/explorer/lanes.ts';
import {
  type Chapter,
  type Situation,
  type Strategy,
  sessionsIn,
} from '../../../src/lab/chapter.ts';
import { addressOf, chapters } from '../../../src/lab/chapters/index.ts';
import { loadStrategy } from '../../../src/lab/judge/load-strategy.ts';
import { knownVerdicts } from '../../../src/lab/syllabus/known-verdicts.ts';
import { inProject } from '../../../src/platform/process/project.ts';
import { makeStage } from '../../support/stage.ts';

const [stage, ...others] = [await makeStage(), await makeStage(), await makeStage()];

interface Wanted {
  chapter: Chapter;
  strategy: Strategy;
  situation: Situation;
  most?: number | undefined;
}

function exploreBoth({ chapter, strategy, situation, most }: Wanted, leavesOutCommuting: boolean) {
  const trial = () => chapter.trial(strategy, situation, sessionsIn(situation, 2));
  const beside = lanesOf(others, trial);
  return explore(stage as NonNullable<typeof stage>, trial(), { beside, most, leavesOutCommuting });
}

const faultsIn = ({ faults }: Pick<Exploration, 'faults'>) => Object.keys(faults).sort();

const known = chapters.flatMap((chapter) =>
  chapter.strategies
    // The schedules of a strategy with a store take ten times as long.
    .filter(({ needs }) => needs === undefined)
    .flatMap((strategy) =>
      chapter.situationsOf(strategy).map((situation) => {
        const address = addressOf({ chapter, strategy });
        const before = knownVerdicts[address]?.situations[situation.name];
        return { name: `${address} ${situation.name}`, chapter, strategy, situation, before };
      }),
    ),
);

// The tables of docs/strategies.md have the faults in all schedules. The campaign of the matrix
// checks the tables.
describe('the faults of the tables are found in fewer schedules:', () => {
  test.each(known)('$name', { timeout: 300_000 }, async ({ before, ...wanted }) => {
    const { most } = wanted.situation;
    const found = await exploreBoth({ ...wanted, most }, true);
    if (!before) throw new Error('the tables do not have this situation');
    expect(found.schedules).toBeLessThanOrEqual(before.schedules);
    // With a limit, fewer schedules reach further.
    if (before.isComplete) expect(faultsIn(found)).toEqual(faultsIn(before));
    else expect(faultsIn(found)).toEqual(expect.arrayContaining(faultsIn(before)));
  });
});

/** More schedules take too long to be played twice. */
const MOST = 120;

const files = chapters.flatMap((chapter, index) => {
  const folder = `test/lab/judge/judged${index === 0 ? '' : `/${chapter.name}`}`;
  return readdirSync(inProject(folder))
    .filter((name) => /^(right|wrong)-.*\.ts$/.test(name))
    .map((name) => ({ chapter, file: `${folder}/${name}` }));
});

describe('a strategy of a file has the same faults in fewer schedules:', () => {
  test.each(files)('$file', { timeout: 600_000 }, async ({ chapter, file }) => {
    const { strategy } = await loadStrategy(chapter, inProject(file));
    let compared = 0;
    for (const situation of chapter.situationsOf(strategy)) {
      const wanted = { chapter, strategy, situation, most: MOST };
      const all = await exploreBoth(wanted, false);
      const hangs = 'hang' in all.faults;
      if (!all.isComplete && !hangs) continue;
      const fewer = await exploreBoth(wanted, true);
      // A hang ends the search, so the other faults depend on the order of the schedules.
      if (hangs) expect(faultsIn(fewer)).toContain('hang');
      else {
        expect([situation.name, ...faultsIn(fewer)]).toEqual([situation.name, ...faultsIn(all)]);
        expect(fewer.schedules).toBeLessThanOrEqual(all.schedules);
      }
      compared++;
    }
    expect(compared).toBeGreaterThan(0);
  });
});
