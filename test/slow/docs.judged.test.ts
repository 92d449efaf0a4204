import { expect, test } from 'vitest';
import { expectFall, judgeShown, outputs, strategies } from '../support/shown-strategies.ts';

test('every strategy that the page shows is judged there', () => {
  expect(outputs.map(({ file }) => file)).toEqual([...strategies.keys()]);
});

test.each(outputs)('the strategy before $at has this output', async ({ file, options, text }) => {
  const { code, stdout, stderr } = await judgeShown(file, options);
  expect(code, stderr).toBe(0);
  for (const line of text.trimEnd().split('\n')) expect(stdout.split('\n')).toContain(line);
});

// test/campaigns/docs.judged.test.ts has the other chapters.
test.each(outputs.slice(0, 1))('the strategy before $at falls without its lock', expectFall);
