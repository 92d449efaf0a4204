import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { until } from '../../../src/platform/waiting/until.ts';

const LOOKS = { everyMs: 10, withinMs: 100 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** Makes a condition that holds from check number `first` on. The first check has the number 1. */
const soFromLook = (first: number) => {
  let looks = 0;
  return vi.fn(async () => ++looks >= first);
};

test('`until` checks again until the condition holds', async () => {
  const isSo = soFromLook(4);
  const found = until(isSo, LOOKS);
  await vi.runAllTimersAsync();
  expect(await found).toBe(true);
  expect(isSo).toHaveBeenCalledTimes(4);
});

test('`until` does not wait if the condition holds already', async () => {
  expect(await until(() => true, LOOKS)).toBe(true);
});

test('`until` ends with a last check when the time is up', async () => {
  const isSo = soFromLook(Number.POSITIVE_INFINITY);
  const found = until(isSo, LOOKS);
  await vi.advanceTimersByTimeAsync(LOOKS.withinMs);
  expect(await found).toBe(false);
  expect(isSo).toHaveBeenCalledTimes(1 + LOOKS.withinMs / LOOKS.everyMs);
});

test('`until` throws the reason of a stop', async () => {
  const stop = new AbortController();
  const found = until(() => false, { everyMs: 10, stop: stop.signal });
  stop.abort(new Error('stopped'));
  await expect(found).rejects.toThrow('stopped');
});
