import { expect, test } from 'vitest';
import { expectFall, expectOutput, outputs, strategies } from '../support/shown-strategies.ts';

test('the page shows the output of the judge for each of its strategies', () => {
  expect(outputs.map(({ file }) => file)).toEqual([...strategies.keys()]);
});

// test/campaigns/docs.judged.test.ts tests all chapters.
test.each(outputs.slice(0, 2))('the judge prints the output at $at for its strategy', expectOutput);
test.each(outputs.slice(0, 1))('the strategy before $at falls without its lock', expectFall);
