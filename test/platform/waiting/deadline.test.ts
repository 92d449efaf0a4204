import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Bell } from '../../src/waiting/bell.ts';
import { inTime, whenLate } from '../../src/waiting/deadline.ts';

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

  test('is late past the deadline, and its late result is dropped', async () => {
    const { work, end } = makeWork();
    const late = vi.fn(() => 'late');
    const result = inTime(work, MS, late);
    vi.advanceTimersByTime(MS);
    end('done');
    expect(await result).toBe('late');
    expect(late).toHaveBeenCalledTimes(1);
  });

  test('hands over an error that comes late', async () => {
    const onLateError = vi.fn();
    const { work, fail } = makeWork();
    const result = inTime(work, MS, () => 'late', onLateError);
    vi.advanceTimersByTime(MS);
    fail(new Error('no'));
    expect(await result).toBe('late');
    expect(onLateError).toHaveBeenCalledWith(new Error('no'));
  });

  test('may be late with an error', async () => {
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

describe('work that is waited for though it is late', () => {
  test('gives its result after something was done about it', async () => {
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

  test('throws its error, late or not', async () => {
    const { work, fail } = makeWork();
    const result = whenLate(work, MS, () => fail(new Error('given up')));
    vi.advanceTimersByTime(MS);
    await expect(result).rejects.toThrow('given up');
  });

  test('is let alone if it is in time', async () => {
    const act = vi.fn();
    expect(await whenLate(Promise.resolve('done'), MS, act)).toBe('done');
    vi.advanceTimersByTime(MS);
    expect(act).not.toHaveBeenCalled();
  });
});

describe('a bell', () => {
  test('wakes the one who waits for it', async () => {
    const bell = new Bell();
    const rung = bell.rings(MS);
    bell.ring();
    expect(await rung).toBe(true);
  });

  test('is not waited for too long', async () => {
    const rung = new Bell().rings(MS);
    vi.advanceTimersByTime(MS);
    expect(await rung).toBe(false);
  });

  test('is not heard by one who comes later', async () => {
    const bell = new Bell();
    bell.ring();
    const rung = bell.rings(MS);
    vi.advanceTimersByTime(MS);
    expect(await rung).toBe(false);
  });
});
