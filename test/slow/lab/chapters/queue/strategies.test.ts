import { beforeAll, describe, test } from 'vitest';
import type { Stage } from '../../../../../src/explorer/stage.ts';
import {
  expectFall,
  expectNoFault,
  keptByTier,
  linesByTier,
} from '../../../../support/queue-strategies.ts';
import { makeStage } from '../../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

describe('a strategy that promises to do each task once', () => {
  test.each(keptByTier.slow)('%s has no fault in the situation %s', (strategy, situation) =>
    expectNoFault(stage, strategy, situation),
  );
});

describe('a strategy fails if its code lacks', () => {
  test.each(linesByTier.slow)('$what', (line) => expectFall(stage, line));
});
