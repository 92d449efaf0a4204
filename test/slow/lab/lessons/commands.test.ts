import { expect, test } from 'vitest';
import { expectToRun, lessonCommands } from '../../../support/lesson-commands.ts';

// test/campaigns/lab/lessons/commands.test.ts runs every command.
const some = lessonCommands.filter((line) => line.includes('one-'));

test('the chosen commands of the lessons use npm run explore and npm run replay', () => {
  const of = (name: string) => some.filter((line) => line.startsWith(`npm run ${name} -- `));
  expect([of('explore'), of('replay')]).not.toContainEqual([]);
});

test.each(some)('a student can run %s', { timeout: 300_000 }, expectToRun);
