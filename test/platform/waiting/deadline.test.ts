import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Bell } from '../../../src/platform/waiting/bell.ts';
import { inTime, whenLate } from '../../../src/platform/waiting/deadline.ts';

const MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  // No timer is left, whether the work ended in time or not.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function makeWork() {
  let end: (result: string) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const work = new Promise<string>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { work, end, fail };
}

describe('work in time', () => {
  test('gives its result', async () => {
    const { work, end } = makeWork();
    const result = inTime(work, MS, () => 'late');
    vi.advanceTimersByTime(MS - 1);
    end('done');
    expect(await result).toBe('done');
  });

  test('throws its error', async () => {
    const onLateError = vi.fn();
    const { work, fail } = makeWork();
    const result = inTime(work, MS, () => 'late', onLateError);
    fail(new Error('no'));
    await expect(result).rejects.toThrow('no');
    expect(onLateError).not.toHaveBeenCalled();
  });

  test('is late after the deadline, and its result is dropped', async () => {
    const { work, end } = makeWork();
    const late = vi.fn(() => 'late');
    const result = inTime(work, MS, late);
    vi.advanceTimersByTime(MS);
    end('done');
    expect(await result).toBe('late');
    expect(late).toHaveBeenCalledTimes(1);
  });

  test('passes on a late error', async () => {
    const onLateError = vi.fn();
    const { work, fail } = makeWork();
    const result = inTime(work, MS, () => 'late', onLateError);
    vi.advanceTimersByTime(MS);
    fail(new Error('no'));
    expect(await result).toBe('late');
    expect(onLateError).toHaveBeenCalledWith(new Error('no'));
  });

  test('throws the error of `late` if `late` fails', async () => {
    const { work } = makeWork();
    const result = inTime(work, MS, () => Promise.reject(new Error('too late')));
    vi.advanceTimersByTime(MS);
    await expect(result).rejects.toThrow('too late');
  });

  test('has no deadline at infinity', async () => {
    const { work, end } = makeWork();
    const result = inTime(work, Number.POSITIVE_INFINITY, () => 'late');
    expect(vi.getTimerCount()).toBe(0);
    end('done');
    expect(await result).toBe('done');
  });
});

describe('work with a caller that waits for late work too', () => {
  test('returns its result after `act` was called', async () => {
    const { work, end } = makeWork();
    const act = vi.fn();
    const result = whenLate(work, MS, act);
    vi.advanceTimersByTime(MS - 1);
    expect(act).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(act).toHaveBeenCalledTimes(1);
    end('done');
    expect(await result).toBe('done');
  });

  test('throws its late error', async () => {
    const { work, fail } = makeWork();
    const result = whenLate(work, MS, () => fail(new Error('given up')));
    vi.advanceTimersByTime(MS);
    await expect(result).rejects.toThrow('given up');
  });

  test('causes no call of `act` if it is in time', async () => {
    const act = vi.fn();
    expect(await whenLate(Promise.resolve('done'), MS, act)).toBe('done');
    vi.advanceTimersByTime(MS);
    expect(act).not.toHaveBeenCalled();
  });
});

describe('a bell', () => {
  test('wakes a waiter', async () => {
    const bell = new Bell();
    const rung = bell.rings(MS);
    bell.ring();
    expect(await rung).toBe(true);
  });

  test('is awaited only for the given time', async () => {
    const rung = new Bell().rings(MS);
    vi.advanceTimersByTime(MS);
    expect(await rung).toBe(false);
  });

  test('does not wake a later waiter', async () => {
    const bell = new Bell();
    bell.ring();
    const rung = bell.rings(MS);
    vi.advanceTimersByTime(MS);
    expect(await rung).toBe(false);
  });
});
