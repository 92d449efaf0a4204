import { test } from 'vitest';
import { expectShown, shownOutputs } from '../support/shown-outputs.ts';

// test/slow/docs.judged.test.ts tests the outputs of the judge.
const outputs = shownOutputs.filter(({ name }) => name !== 'judge');
test.each(outputs)('the command of the output at $at prints this output', expectShown);
