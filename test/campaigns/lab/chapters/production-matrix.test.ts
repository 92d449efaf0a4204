import { expect, test } from 'vitest';
import { explore } from '../../../../src/explorer/explore.ts';
import { type Chapter, sessionsIn } from '../../../../src/lab/chapter.ts';
import { addressOf, chapters } from '../../../../src/lab/chapters/index.ts';
import { knownVerdicts } from '../../../../src/lab/syllabus/known-verdicts.ts';
import { makeStage } from '../../../support/stage.ts';

const cells = chapters.flatMap((chapter: Chapter) =>
  chapter.strategies
    .filter(({ name }) => name === 'production')
    .flatMap((strategy) =>
      chapter.situationsOf(strategy).map((situation) => ({ chapter, strategy, situation })),
    ),
);

// `npm run test:stock` runs this file on other servers than the embedded PostgreSQL.
test.for(cells)(
  'on this server, production behaves as in docs/strategies.md: $chapter.name $situation.name',
  async ({ chapter, strategy, situation }, { signal }) => {
    const stage = await makeStage();
    const known = knownVerdicts[addressOf({ chapter, strategy })]?.situations[situation.name];
    const trial = chapter.trial(strategy, situation, sessionsIn(situation, 2));
    const { schedules, faults } = await explore(stage, trial, {
      most: situation.most,
      stop: signal,
    });
    expect({ schedules, faults }).toEqual({ schedules: known?.schedules, faults: {} });
  },
);
