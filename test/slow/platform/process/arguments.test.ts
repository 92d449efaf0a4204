import { describe, expect, test } from 'vitest';
import { HAS_PROC } from '../../../../src/platform/process/process-table.ts';
import { SECRET, watchArguments } from '../../../support/arguments.ts';
import { run } from '../../../support/command.ts';
import { COMMANDS, expectNoSecret } from '../../../support/secret-arguments.ts';

// test/campaigns/platform/process/arguments.test.ts runs the other commands.

describe.runIf(HAS_PROC)(
  'no process has a secret in its arguments, because all users can read arguments',
  () => {
    test.each(['start', 'worker', 'judge with a strategy', 'doctor'] as const)('%s', async (name) =>
      expectNoSecret(await COMMANDS[name]()),
    );
  },
);

test.runIf(HAS_PROC)('the check sees an address with a password in the arguments', async () => {
  const command = run('test/support/hold-output.ts', ['postgres://rowlock:secret@127.0.0.1/x']);
  const seen = watchArguments(command);
  await expect.poll(() => seen().some((line) => SECRET.test(line)), { timeout: 20_000 }).toBe(true);
  command.child.kill('SIGKILL');
  await command.ended;
});
