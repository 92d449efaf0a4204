import { beforeAll, describe, expect, test } from 'vitest';
import { counterexampleOf, explore } from '../../../../src/explorer/explore.ts';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { tell } from '../../../../src/explorer/tell.ts';
import { type Chapter, sessionsIn } from '../../../../src/lab/chapter.ts';
import { addressOf, chapters } from '../../../../src/lab/chapters/index.ts';
import { knownVerdicts } from '../../../../src/lab/syllabus/known-verdicts.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

const production = chapters.flatMap((chapter: Chapter) =>
  chapter.strategies
    .filter(({ name }) => name === 'production')
    .flatMap((strategy) =>
      chapter.situationsOf(strategy).map((situation) => ({ chapter, strategy, situation })),
    ),
);

const provenIn = ({ chapter, strategy, situation }: (typeof production)[number]) =>
  knownVerdicts[addressOf({ chapter, strategy })]?.situations[situation.name];

// The check of docs/strategies.md plays at most 500 schedules of a situation. This file plays all.
describe("production's own code", () => {
  test('has a verdict in each situation of each chapter', () => {
    expect([...new Set(production.map(({ chapter }) => chapter))]).toEqual(chapters);
    expect(production.map(provenIn)).not.toContain(undefined);
  });

  const open = production.filter((each) => provenIn(each)?.isComplete === false);
  test.each(open)('has no fault in any schedule of $chapter.name $situation.name', async (each) => {
    const { chapter, strategy, situation } = each;
    const trial = chapter.trial(strategy, situation, sessionsIn(situation, 2));
    const found = await explore(stage, trial);
    const worst = counterexampleOf(found, chapter.faults);
    expect(worst && tell(worst).transcript).toBeUndefined();
    expect([found.faults, found.isComplete]).toEqual([{}, true]);
  });
});
