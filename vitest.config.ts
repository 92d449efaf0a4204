import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/setup.ts',
    // A process runs many test files, and loads each module once. To load the modules again for each
    // file takes a fifth of the processor time.
    isolate: false,
    // Many tests wait for a heartbeat or a pause. Other tests use the processor meanwhile.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
