import { test } from 'vitest';
import { expectFall, expectOutput, outputs } from '../support/shown-strategies.ts';

test.each(outputs)('the judge prints the output at $at for the strategy before it', expectOutput);
test.each(outputs)('the strategy before $at falls without its lock', expectFall);
