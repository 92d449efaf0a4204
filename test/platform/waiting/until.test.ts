import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { until } from '../../src/waiting/until.ts';

const LOOKS = { everyMs: 10, withinMs: 100 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** A condition that holds from this look on. The first look has the number 1. */
const soFromLook = (first: number) => {
  let looks = 0;
  return vi.fn(async () => ++looks >= first);
};

test('it looks again until it is so', async () => {
  const isSo = soFromLook(4);
  const found = until(isSo, LOOKS);
  await vi.runAllTimersAsync();
  expect(await found).toBe(true);
  expect(isSo).toHaveBeenCalledTimes(4);
});

test('it does not wait for what is so already', async () => {
  expect(await until(() => true, LOOKS)).toBe(true);
});

test('it gives up when the time is up, after a last look', async () => {
  const isSo = soFromLook(Number.POSITIVE_INFINITY);
  const found = until(isSo, LOOKS);
  await vi.advanceTimersByTimeAsync(LOOKS.withinMs);
  expect(await found).toBe(false);
  expect(isSo).toHaveBeenCalledTimes(1 + LOOKS.withinMs / LOOKS.everyMs);
});

test('it throws the reason when it is stopped', async () => {
  const stop = new AbortController();
  const found = until(() => false, { everyMs: 10, stop: stop.signal });
  stop.abort(new Error('stopped'));
  await expect(found).rejects.toThrow('stopped');
});
