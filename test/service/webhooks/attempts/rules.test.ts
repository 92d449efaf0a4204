import { expect, test } from 'vitest';
import { pauseAfterAttempt, resultOf } from '../../../../src/service/webhooks/attempts/rules.ts';

test('the pauses grow from five seconds to a day, with jitter', () => {
  const seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
  for (const [index, usual] of seconds.entries()) {
    const pauses = Array.from(
      { length: 100 },
      () => pauseAfterAttempt({ attemptsLeft: 9 - index }) / 1_000,
    );
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(0.9 * usual);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1.1 * usual);
    expect(new Set(pauses).size).toBeGreaterThan(50);
  }
});

test.each([
  [{ status: 200 }, { kind: 'delivered' }],
  [{ status: 204, retryAfterMs: 9 }, { kind: 'delivered' }],
  [{ status: 301 }, { kind: 'failed', atLeastMs: 0 }],
  [{ status: 410 }, { kind: 'gone' }],
  [
    { status: 429, retryAfterMs: 9 },
    { kind: 'failed', atLeastMs: 9 },
  ],
  [
    { status: 503, retryAfterMs: 9 },
    { kind: 'failed', atLeastMs: 9 },
  ],
  [
    { status: 500, retryAfterMs: 9 },
    { kind: 'failed', atLeastMs: 0 },
  ],
])('the answer %j means %j', (answer, result) => {
  expect(resultOf({ kind: 'answered', firstLine: '', ...answer })).toEqual(result);
  const noAnswer = resultOf({ kind: 'no-answer', reason: 'x' });
  expect(noAnswer).toEqual({ kind: 'failed', atLeastMs: 0 });
});
