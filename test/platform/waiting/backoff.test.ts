import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pause, pauseAfter } from '../../../src/platform/waiting/backoff.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Returns the pauses after each of these failures, if `Math.random` always returns `random`. */
function pausesAt(random: number, jitter: number, failures = 8): number[] {
  vi.spyOn(Math, 'random').mockReturnValue(random);
  const backoff = { shortestMs: 100, longestMs: 5_000, jitter };
  return Array.from({ length: failures }, (_, failure) => pauseAfter(failure, backoff));
}

describe('pauses between attempts', () => {
  test('double with each failure up to a maximum', () => {
    expect(pausesAt(0, 0)).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  });

  test('never exceed the maximum after any number of failures', () => {
    expect(pauseAfter(100_000, { shortestMs: 100, longestMs: 5_000, jitter: 0 })).toBe(5_000);
  });

  test.each([
    ['half of each pause', 0.5, [50, 100, 200]],
    ['each whole pause', 1, [0, 0, 0]],
  ])('are random over %s', (_, jitter, shortest) => {
    expect(pausesAt(0, jitter, 3)).toEqual([100, 200, 400]);
    expect(pausesAt(1, jitter, 3)).toEqual(shortest);
  });
});

describe('a pause', () => {
  test('lasts as long as its argument says', async () => {
    const isOver = vi.fn();
    const paused = pause(100).then(isOver);
    await vi.advanceTimersByTimeAsync(99);
    expect(isOver).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await paused;
  });

  test('ends when its signal is aborted', async () => {
    const stop = new AbortController();
    const paused = pause(100, stop.signal);
    stop.abort();
    await paused;
  });

  test('does not begin when its signal is aborted already', async () => {
    await pause(100, AbortSignal.abort());
  });
});
