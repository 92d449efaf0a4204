import { test } from 'vitest';
import { expectFall, expectOutput, outputs } from '../support/shown-strategies.ts';

test.each(outputs)('the strategy before $at has this output', expectOutput);
test.each(outputs)('the strategy before $at falls without its lock', expectFall);
