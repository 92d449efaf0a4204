import { expect, inject, test } from 'vitest';
import { run } from '../support/command.ts';

test('a situation that few strategies have is explored for these, and the JSON names it', async () => {
  const { ended, stdout } = run('scripts/explore.ts', ['--situation', 'freed', '--json'], {
    DATABASE_URL: inject('scratchUrl'),
  });
  expect((await ended).code).toBe(0);
  const explored = JSON.parse(stdout());
  expect(explored).toMatchObject([{ strategy: 'production', situation: 'freed', faults: {} }]);
});
