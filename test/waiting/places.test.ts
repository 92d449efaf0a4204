import { describe, expect, test } from 'vitest';
import type { NotServed } from '../../src/waiting/line.ts';
import { Places, type PlacesLimits } from '../../src/waiting/places.ts';

const makePlaces = (limits: Partial<PlacesLimits> = {}) =>
  new Places({ places: 1, longest: 2, waitMs: 60_000, ...limits });

/** Work that runs until the test ends it. */
function makeWork() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

const why = (reason: NotServed) => reason;
const done = async () => 'done';

test('works run one at a time, in the order in which they came, and are told their place', async () => {
  const places = makePlaces();
  const order: string[] = [];
  const works = [makeWork(), makeWork(), makeWork()];
  const runs = works.map(({ work }, index) =>
    places.run(
      async () => {
        order.push(`${index} begins`);
        await work();
        order.push(`${index} ends`);
      },
      why,
      { onPlace: (place) => order.push(`${index} is at ${place}`) },
    ),
  );
  expect(places.isFull).toBe(true);
  for (const [index, { end }] of works.entries()) {
    end();
    await runs[index];
  }
  expect(order).toEqual([
    ...['1 is at 1', '2 is at 2', '0 begins'],
    ...['0 ends', '2 is at 1', '1 begins', '1 ends', '2 begins', '2 ends'],
  ]);
});

test('as many run at once as there are places', async () => {
  const places = makePlaces({ places: 2 });
  const works = [makeWork(), makeWork()];
  const running = works.map(({ work }) => places.run(work, why));
  let hasBegun = false;
  const third = places.run(async () => {
    hasBegun = true;
  }, why);
  works[1]?.end();
  await running[1];
  await third;
  expect(hasBegun).toBe(true);
  works[0]?.end();
  await running[0];
});

test('without a place to wait nobody waits', async () => {
  const places = makePlaces({ longest: 0 });
  const { work, end } = makeWork();
  const running = places.run(work, why);
  expect(places.isFull).toBe(true);
  expect(await places.run(work, why)).toBe('full');
  end();
  await running;
  expect(places.isFull).toBe(false);
});

test('who waits too long is not run', async () => {
  const places = makePlaces({ waitMs: 1 });
  const { work, end } = makeWork();
  const running = places.run(work, why);
  expect(await places.run(done, why)).toBe('late');
  end();
  await running;
  expect(await places.run(done, why)).toBe('done');
});

test('who is stopped leaves the line, and those behind move up', async () => {
  const places = makePlaces();
  const { work, end } = makeWork();
  const running = places.run(work, why);
  const stop = new AbortController();
  const leaving = places.run(work, why, { stop: stop.signal });
  const told: number[] = [];
  const behind = places.run(done, why, { onPlace: (place) => told.push(place) });
  stop.abort();
  expect(await leaving).toBe('left');
  expect(told).toEqual([2, 1]);
  end();
  await running;
  expect(await behind).toBe('done');
});

test('who is stopped already is not run, though a place is free', async () => {
  const stop = AbortSignal.abort();
  expect(await makePlaces().run(done, why, { stop })).toBe('left');
});

test('work that fails lets the next one run', async () => {
  const places = makePlaces();
  const failing = places.run(() => Promise.reject(new Error('no')), why);
  const next = places.run(done, why);
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

describe('with places for each key', () => {
  test('one key leaves places to the others', async () => {
    const places = makePlaces({ places: 2, placesPerKey: 1 });
    const { work, end } = makeWork();
    const running = places.run(work, why, { key: 'a' });
    const second = places.run(async () => 'second of a', why, { key: 'a' });
    expect(await places.run(done, why, { key: 'b' })).toBe('done');
    end();
    await running;
    expect(await second).toBe('second of a');
  });

  test('a place goes to the first who may have it, past those whose key has enough', async () => {
    const places = makePlaces({ places: 2, placesPerKey: 1 });
    const [a, b] = [makeWork(), makeWork()];
    const runA = places.run(a.work, why, { key: 'a' });
    const runB = places.run(b.work, why, { key: 'b' });
    const order: string[] = [];
    const waitsForA = places.run(async () => order.push('a'), why, { key: 'a' });
    const waitsForC = places.run(async () => order.push('c'), why, { key: 'c' });
    b.end();
    await Promise.all([runB, waitsForC]);
    expect(order).toEqual(['c']);
    a.end();
    await Promise.all([runA, waitsForA]);
    expect(order).toEqual(['c', 'a']);
  });
});
