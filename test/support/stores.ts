import { onTestFinished } from 'vitest';
import { closeStores } from '../../src/lab/stores/index.ts';

/** Sets an environment variable for the lab's stores until the test ends. */
export async function setForStores(name: string, value: string) {
  const before = process.env[name];
  process.env[name] = value;
  await closeStores();
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}
