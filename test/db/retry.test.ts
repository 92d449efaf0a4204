import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { retryAtStart } from '../../src/db/retry.ts';
import { nothingRan } from '../../src/db/sqlstate.ts';

const busy = nothingRan(new Error('no session became free in time'));

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

test('a start goes on when a busy database has become free', async () => {
  const step = vi.fn().mockRejectedValueOnce(busy).mockRejectedValueOnce(busy).mockResolvedValue(1);
  const started = retryAtStart(step);
  await vi.runAllTimersAsync();
  expect(await started).toBe(1);
  expect(step).toHaveBeenCalledTimes(3);
});

test('a start does not wait for a busy database for ever', async () => {
  const started = expect(retryAtStart(() => Promise.reject(busy))).rejects.toBe(busy);
  await vi.advanceTimersByTimeAsync(12_000);
  await started;
});

test('a start does not repeat a step that may have been done', async () => {
  const lost = Object.assign(new Error('lost'), { code: 'CONNECTION_CLOSED' });
  const step = vi.fn().mockRejectedValue(lost);
  await expect(retryAtStart(step)).rejects.toBe(lost);
  expect(step).toHaveBeenCalledTimes(1);
});
