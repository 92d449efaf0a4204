import { afterAll, afterEach, beforeAll, beforeEach, type RunnerTask, vi } from 'vitest';
import { closeStores } from '../../src/lab/stores/index.ts';
import { end } from './command.ts';
import { usePrograms } from './program.ts';

// Test files share their modules, so hooks in a shared module would apply to only one test file.
// Vitest runs this file again for each test file.

/** The tags of all tests of the file. The `beforeAll` hooks of the file may need all of them. */
let tagsOfFile: string[] = [];
const tagsIn = (task: RunnerTask): string[] => [
  ...(task.tags ?? []),
  ...('tasks' in task ? task.tasks.flatMap(tagsIn) : []),
];

usePrograms([]);
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needed fixtures from this pattern.
beforeAll(({}, file) => {
  tagsOfFile = [...new Set(tagsIn(file))];
  usePrograms(tagsOfFile);
});
// Concurrent tests share the PATH, so they find the programs of all tests of the file.
beforeEach(async ({ task }) => {
  if (task.concurrent) return;
  usePrograms(task.tags ?? []);
  // A store that another test has started would hide that this test needs the store.
  if (!task.tags?.length) await closeStores();
});
afterEach(() => usePrograms(tagsOfFile));
// The files of a process also share the timers. With fake timers, a pause would never end.
vi.useRealTimers();
afterAll(async () => {
  const areFake = vi.isFakeTimers();
  vi.useRealTimers();
  await end();
  await closeStores();
  if (areFake) throw new Error('this test file has left fake timers');
});
