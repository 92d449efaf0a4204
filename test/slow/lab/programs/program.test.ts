import { expect, test } from 'vitest';
import { inProject } from '../../../../src/platform/process/project.ts';
import { exploreProgram } from '../../../support/programs.ts';

// The other files of this folder have programs in other languages, and libraries.
test('a function that has its own driver oversells in as many schedules as the strategy naive', async () => {
  const { schedules, isComplete, faults } = await exploreProgram({
    module: inProject('test/lab/programs/functions/naive.mjs'),
  });
  expect({ schedules, isComplete, faults }).toEqual({
    ...{ schedules: 20, isComplete: true },
    faults: { oversold: 18 },
  });
});
