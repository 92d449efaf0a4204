import { test } from 'vitest';
import { expectFall, outputs } from '../support/shown-strategies.ts';

test.each(outputs)('the strategy before $at falls without its lock', expectFall);
