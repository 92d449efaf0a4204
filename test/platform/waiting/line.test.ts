import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Line } from '../../../src/platform/waiting/line.ts';

const WAIT_MS = 2_000;
const makeLine = (longest = 10) => new Line<string>({ longest, waitMs: WAIT_MS });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  // No timer is left after a wait, whether the wait succeeded or not.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('waiters get items in the order of their arrival', async () => {
  const line = makeLine();
  const waits = [line.wait(), line.wait(), line.wait()];
  for (const item of ['a', 'b', 'c']) line.serve(item);
  expect(await Promise.all(waits)).toEqual(['a', 'b', 'c']);
  expect(line.length).toBe(0);
});

test('the first waiter with a fitting key gets the item', async () => {
  const line = makeLine();
  const [one, two] = [line.wait(1), line.wait(2)];
  line.serve('for two', (key) => key === 2);
  expect(await two).toBe('for two');
  expect(line.length).toBe(1);
  line.serve('for one');
  expect(await one).toBe('for one');
});

test('a full line refuses a waiter immediately, and accepts one after another waiter has left', async () => {
  const line = makeLine(1);
  const first = line.wait();
  expect(line.isFull).toBe(true);
  expect(await line.wait()).toBe('full');
  line.serve('a');
  await first;
  const next = line.wait();
  line.serve('b');
  expect(await next).toBe('b');
});

test('a waiter is late after the time limit, and gets no item any more', async () => {
  const line = makeLine();
  const late = line.wait();
  vi.advanceTimersByTime(WAIT_MS / 2);
  const patient = line.wait();
  vi.advanceTimersByTime(WAIT_MS / 2);
  expect(await late).toBe('late');
  line.serve('a');
  expect(await patient).toBe('a');
});

test('without a time limit, no waiter is late', async () => {
  const line = new Line<string>({ longest: 1, waitMs: Number.POSITIVE_INFINITY });
  const wait = line.wait();
  expect(vi.getTimerCount()).toBe(0);
  line.serve('a');
  expect(await wait).toBe('a');
});

test('an error ends only the wait of the first waiter', async () => {
  const line = makeLine();
  const [first, second] = [line.wait(), line.wait()];
  line.fail(new Error('there are no items'));
  await expect(first).rejects.toThrow('there are no items');
  line.serve('a');
  expect(await second).toBe('a');
});

test('a line without waiters keeps no item', async () => {
  const line = makeLine();
  line.serve('a');
  line.fail(new Error('nobody hears this'));
  const wait = line.wait();
  line.serve('b');
  expect(await wait).toBe('b');
});
