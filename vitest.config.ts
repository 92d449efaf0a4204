import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findNeeds } from './test/support/needs.ts';

/** Campaigns that take minutes, the longest first. A long file that starts last has nothing beside it. */
const LONG = ['matrix', 'judge', 'faults-workers', 'faults-failover', 'own-file'].map(
  (name) => `test/campaigns/scripts/${name}.test.ts`,
);

/** The place of a file among the long files. The other files come after them. */
function placeOf({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex((name) => moduleId.endsWith(name));
  return place < 0 ? LONG.length : place;
}

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

const needs = findNeeds();

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/setup.ts',
    provide: { needs },
    // A test that needs a program has its tag. Without the program, the test is left out.
    tags: needs.map(({ name, title, isThere }) =>
      isThere ? { name, description: title } : { name, description: title, skip: true },
    ),
    // A process runs many test files, and loads each module once. To load the modules again for each
    // file takes a fifth of the processor time.
    isolate: false,
    sequence: { sequencer: LongFilesFirst },
    // Many tests wait for a heartbeat or a pause. Other tests use the processor meanwhile.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
