import { describe, expect, test } from 'vitest';
import { Places, type PlacesLimits } from '../../../src/platform/waiting/places.ts';

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

/** Runs the work in a place. Returns `full` or `late` if there was no place. */
async function run<T>(places: Places, work: () => Promise<T>, key?: unknown) {
  const entered = await places.enter(key);
  if (entered !== true) return entered;
  try {
    return await work();
  } finally {
    places.leave(key);
  }
}

const done = async () => 'done';

test('work runs one piece at a time, in the order of arrival', async () => {
  const places = makePlaces();
  const order: string[] = [];
  const works = [makeWork(), makeWork(), makeWork()];
  const runs = works.map(({ work }, index) =>
    run(places, async () => {
      order.push(`${index} begins`);
      await work();
      order.push(`${index} ends`);
    }),
  );
  for (const [index, { end }] of works.entries()) {
    end();
    await runs[index];
  }
  expect(order).toEqual([0, 1, 2].flatMap((index) => [`${index} begins`, `${index} ends`]));
});

test('the number of places limits how many pieces of work run at the same time', async () => {
  const places = makePlaces({ places: 2 });
  const works = [makeWork(), makeWork()];
  const running = works.map(({ work }) => run(places, work));
  let hasBegun = false;
  const third = run(places, async () => {
    hasBegun = true;
  });
  works[1]?.end();
  await running[1];
  await third;
  expect(hasBegun).toBe(true);
  works[0]?.end();
  await running[0];
});

test('if the line has no room, no work waits', async () => {
  const places = makePlaces({ longest: 0 });
  const { work, end } = makeWork();
  const running = run(places, work);
  expect(await run(places, work)).toBe('full');
  end();
  await running;
  expect(await run(places, done)).toBe('done');
});

test('work that waits too long does not run', async () => {
  const places = makePlaces({ waitMs: 1 });
  const { work, end } = makeWork();
  const running = run(places, work);
  expect(await run(places, done)).toBe('late');
  end();
  await running;
  expect(await run(places, done)).toBe('done');
});

describe('with places for each key', () => {
  test('work of one key does not take the places of other keys', async () => {
    const places = makePlaces({ places: 2, placesPerKey: 1 });
    const { work, end } = makeWork();
    const running = run(places, work, 'a');
    const second = run(places, async () => 'second of a', 'a');
    expect(await run(places, done, 'b')).toBe('done');
    end();
    await running;
    expect(await second).toBe('second of a');
  });

  test('the first waiter whose key has room gets the place, and waiters of a full key are skipped', async () => {
    const places = makePlaces({ places: 2, placesPerKey: 1 });
    const [a, b] = [makeWork(), makeWork()];
    const runA = run(places, a.work, 'a');
    const runB = run(places, b.work, 'b');
    const order: string[] = [];
    const waitsForA = run(places, async () => order.push('a'), 'a');
    const waitsForC = run(places, async () => order.push('c'), 'c');
    b.end();
    await Promise.all([runB, waitsForC]);
    expect(order).toEqual(['c']);
    a.end();
    await Promise.all([runA, waitsForA]);
    expect(order).toEqual(['c', 'a']);
  });
});
