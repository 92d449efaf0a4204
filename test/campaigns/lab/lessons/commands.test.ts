import { test } from 'vitest';
import { expectToRun, lessonCommands } from '../../../support/lesson-commands.ts';

test.each(lessonCommands)('%s', { timeout: 300_000 }, expectToRun);
