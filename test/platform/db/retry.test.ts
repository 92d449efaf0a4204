import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { retryAtStart } from '../../../src/platform/db/retry.ts';
import { nothingRan } from '../../../src/platform/db/sqlstate.ts';

const busy = nothingRan(new Error('no session became free in time'));

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

test('a start goes on when a busy database has become free, and says once that it waits', async () => {
  const step = vi.fn().mockRejectedValueOnce(busy).mockRejectedValueOnce(busy).mockResolvedValue(1);
  const onWait = vi.fn();
  const started = retryAtStart(step, { onWait });
  await vi.runAllTimersAsync();
  expect(await started).toBe(1);
  expect(step).toHaveBeenCalledTimes(3);
  expect(onWait.mock.calls).toEqual([[busy]]);
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

describe('a start that is stopped', () => {
  const REASON = 143;
  const never = () => new Promise<never>(() => undefined);

  test.for([
    ['waits for a busy database', () => Promise.reject(busy)],
    ['is in the middle of a step', never],
  ] as const)('ends immediately while it %s', async ([, work]) => {
    const stop = new AbortController();
    const step = vi.fn(work);
    const started = expect(retryAtStart(step, { stop: stop.signal })).rejects.toBe(REASON);
    // The step fails, and no timer fires.
    await vi.advanceTimersByTimeAsync(0);
    stop.abort(REASON);
    await started;
    expect(step).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('begins no step', async () => {
    const step = vi.fn(never);
    await expect(retryAtStart(step, { stop: AbortSignal.abort(REASON) })).rejects.toBe(REASON);
    expect(step).not.toHaveBeenCalled();
  });

  test('keeps the result of a step that is done', async () => {
    const stop = new AbortController();
    const started = retryAtStart(async () => 1, { stop: stop.signal });
    expect(await started).toBe(1);
    stop.abort(REASON);
    expect(vi.getTimerCount()).toBe(0);
  });
});
