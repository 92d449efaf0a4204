import { expect, test } from 'vitest';
import { run } from '../../support/command.ts';

test('a command ends when all its output has been read', async () => {
  const { ended, stdout } = run('test/support/hold-output.ts', []);
  expect((await ended).code).toBe(3);
  expect(stdout()).toHaveLength(1_000_000);
});
