import { expect, test } from 'vitest';
import { timeLeft } from '../../src/pages/parts/time-left.ts';

test.each([
  [0, '0:00'],
  [-5, '0:00'],
  [900, '0:01'],
  [59_001, '1:00'],
  [899_000, '14:59'],
  [3_600_000, '1:00:00'],
  [86_399_000, '23:59:59'],
])('a remaining time of %i ms is shown as %s', (milliseconds, words) => {
  expect(timeLeft(milliseconds)).toBe(words);
});
