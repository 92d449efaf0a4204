import { expect, test } from 'vitest';
import { expectFall, expectOutput, outputs, strategies } from '../support/shown-strategies.ts';

test('every strategy that the page shows is judged there', () => {
  expect(outputs.map(({ file }) => file)).toEqual([...strategies.keys()]);
});

// test/campaigns/docs.judged.test.ts has all chapters.
test.each(outputs.slice(0, 2))('the strategy before $at has this output', expectOutput);
test.each(outputs.slice(0, 1))('the strategy before $at falls without its lock', expectFall);
