import { expect, test } from 'vitest';
import { inProject } from '../../../src/process/project.ts';
import { exploreProgram } from '../../support/programs.ts';

// test/slow/lab/programs has programs in other languages, and libraries.
test('a function with a driver of its own oversells in the schedules of our naive', async () => {
  const { schedules, isComplete, faults } = await exploreProgram({
    module: inProject('test/lab/programs/functions/naive.mjs'),
  });
  expect({ schedules, isComplete, faults }).toEqual({
    ...{ schedules: 20, isComplete: true },
    faults: { oversold: 18 },
  });
});
