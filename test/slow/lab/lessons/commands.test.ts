import { expect, test } from 'vitest';
import { expectToRun, lessonCommands } from '../../../support/lesson-commands.ts';

// test/campaigns/lab/lessons/commands.test.ts runs every command.
const some = lessonCommands.filter((line) => line.includes('one-'));

test('some of the commands explore, and some replay', () => {
  const of = (name: string) => some.filter((line) => line.startsWith(`npm run ${name} -- `));
  expect([of('explore'), of('replay')]).not.toContainEqual([]);
});

test.each(some)('%s', { timeout: 300_000 }, expectToRun);
