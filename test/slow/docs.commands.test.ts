import { expect, test } from 'vitest';
import { commandsWithOptions, partsOf, runScript } from '../support/npm-scripts.ts';
import { expectShown, shownOutputs } from '../support/shown-outputs.ts';

// A command reads all its options before it prints its help.
test.concurrent.each(commandsWithOptions())('%s takes its options', async (line) => {
  const { name, args } = partsOf(line);
  const command = runScript(name, [...args, '--help']);
  expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
  expect(command.stdout()).toMatch(new RegExp(`npm (run )?${name}\\b`));
});

const races = shownOutputs.filter(({ name }) => name === 'race-demo');
test.each(races)('the output at $at is that of its command', expectShown);
