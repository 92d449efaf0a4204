import { expect, test } from 'vitest';
import { restAfter } from '../../../src/platform/waiting/rest.ts';

test('a loop rests for nineteen times as long as it works, but at most a second', () => {
  expect([0, 2, 50].map(restAfter)).toEqual([0, 38, 950]);
  expect(restAfter(60_000)).toBe(1_000);
});
