import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than a minute. A long file that starts last has nothing beside it. */
const LONG = ['faults-workers', 'faults', 'matrix', 'judge'].map(
  (name) => `test/slow/scripts/${name}.test.ts`,
);

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      LONG.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/setup.ts',
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
