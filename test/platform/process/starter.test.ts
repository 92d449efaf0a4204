import { expect, test } from 'vitest';
import { run } from '../../support/command.ts';

// test/slow/platform/process/starter.test.ts tests a server, and ends npm and its shell.
test.each([
  ['does not start after its parent has ended', '1', 143, 0],
  ['starts if an empty ROWLOCK_PARENT names no parent', '', 3, 1_000_000],
])('a command %s', async (_, ROWLOCK_PARENT, code, printed) => {
  const command = run('test/support/hold-output.ts', [], { ROWLOCK_PARENT });
  expect((await command.ended).code).toBe(code);
  expect(command.stdout()).toHaveLength(printed);
});
