import { test } from 'vitest';
import { expectHelp, expectRefusal, programNames } from '../support/npm-scripts.ts';

test.concurrent.each(programNames)('npm run %s refuses a wrong option', expectRefusal);

test.concurrent.each(programNames)('npm run %s prints a help text', expectHelp);
