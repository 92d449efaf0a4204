import { describe, expect, test } from 'vitest';
import { expectUnusable, judge } from '../support/judge.ts';

describe('the judge cannot run', () => {
  test('unusable-syntax.ts, from a folder outside the project', () =>
    expectUnusable('unusable-syntax.ts', /^\/.+\/unusable-syntax\.ts:2: Unexpected end of file$/m));

  // test/slow/scripts/judge.test.ts has more files that are no strategies.
  test.each([
    [['no-such-file.ts'], /There is no file \S+\/no-such-file\.ts\./],
    [[], /One file is needed/],
  ])('%j', async (args, words) => {
    const { ended, stderr } = judge(...args);
    expect((await ended).code).toBe(2);
    expect(stderr()).toMatch(words);
  });
});
