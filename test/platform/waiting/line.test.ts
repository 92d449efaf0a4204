import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Line } from '../../src/waiting/line.ts';

const WAIT_MS = 2_000;
const makeLine = (longest = 10) => new Line<string>({ longest, waitMs: WAIT_MS });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  // No timer is left after a wait, whether the wait succeeded or not.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('items go to those who wait, in the order in which they came', async () => {
  const line = makeLine();
  const waits = [line.wait(), line.wait(), line.wait()];
  for (const item of ['a', 'b', 'c']) line.serve(item);
  expect(await Promise.all(waits)).toEqual(['a', 'b', 'c']);
  expect(line.length).toBe(0);
});

test('an item goes to the first who may have it', async () => {
  const line = makeLine();
  const [one, two] = [line.wait({ key: 1 }), line.wait({ key: 2 })];
  line.serve('for two', (key) => key === 2);
  expect(await two).toBe('for two');
  expect(line.length).toBe(1);
  line.serve('for one');
  expect(await one).toBe('for one');
});

test('a line that is full turns away at once, and takes the next when somebody has left', async () => {
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

test('who has waited too long is late, and no item goes to him any more', async () => {
  const line = makeLine();
  const late = line.wait();
  vi.advanceTimersByTime(WAIT_MS / 2);
  const patient = line.wait();
  vi.advanceTimersByTime(WAIT_MS / 2);
  expect(await late).toBe('late');
  line.serve('a');
  expect(await patient).toBe('a');
});

test('without a bound for the time nobody is late', async () => {
  const line = new Line<string>({ longest: 1, waitMs: Number.POSITIVE_INFINITY });
  const wait = line.wait();
  expect(vi.getTimerCount()).toBe(0);
  line.serve('a');
  expect(await wait).toBe('a');
});

test('an error ends the wait of the first alone', async () => {
  const line = makeLine();
  const [first, second] = [line.wait(), line.wait()];
  line.fail(new Error('there are no items'));
  await expect(first).rejects.toThrow('there are no items');
  line.serve('a');
  expect(await second).toBe('a');
});

test('a line where nobody waits keeps no item', async () => {
  const line = makeLine();
  line.serve('a');
  line.fail(new Error('nobody hears this'));
  const wait = line.wait();
  line.serve('b');
  expect(await wait).toBe('b');
});

describe('who is stopped', () => {
  test('leaves the line, and those behind move up', async () => {
    const line = makeLine();
    const stop = new AbortController();
    const places: number[] = [];
    const leaving = line.wait({ stop: stop.signal });
    const behind = line.wait({ onPlace: (place) => places.push(place) });
    stop.abort();
    expect(await leaving).toBe('left');
    expect(places).toEqual([2, 1]);
    line.serve('a');
    expect(await behind).toBe('a');
  });

  test('before the wait never stands in the line', async () => {
    const line = makeLine();
    expect(await line.wait({ stop: AbortSignal.abort() })).toBe('left');
    expect(line.length).toBe(0);
  });

  test('after the wait keeps the item', async () => {
    const line = makeLine();
    const stop = new AbortController();
    const [served, behind] = [line.wait({ stop: stop.signal }), line.wait()];
    line.serve('a');
    stop.abort();
    expect(await served).toBe('a');
    expect(line.length).toBe(1);
    line.serve('b');
    await behind;
  });
});
