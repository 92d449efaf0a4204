import { expect, test } from 'vitest';
import { Turns, type TurnsLimits } from '../../../src/platform/waiting/turns.ts';

/**
 * Makes pieces of work that run until the test ends them. `order` has the names of the pieces that
 * have begun, in order.
 */
function makeTurns(limits: Partial<TurnsLimits> = {}) {
  const turns = new Turns({ places: 1, longest: 10, ...limits });
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, how: { stop?: AbortSignal; places?: number[] } = {}) =>
    turns.run(
      () => {
        order.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      },
      (why) => why,
      { key: name[0], stop: how.stop, onPlace: (place) => how.places?.push(place) },
    );
  /** Waits until all work that may begin has begun. */
  const settle = () => new Promise(setImmediate);
  const end = async (name: string) => {
    await settle();
    ends.get(name)?.();
    await settle();
  };
  return { turns, order, ask, end, settle };
}

test('keys take turns, even if one key has much work', async () => {
  const { order, ask, end } = makeTurns();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void ask(name);
  for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) await end(name);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('hanging work takes one place of its key, and the other places serve other work', async () => {
  const { order, ask, end, settle } = makeTurns({ places: 2, placesPerKey: 1 });
  for (const name of ['a1', 'a2', 'b1', 'c1', 'd1']) void ask(name);
  await settle();
  expect(order).toEqual(['a1', 'b1']);
  for (const name of ['b1', 'c1', 'd1']) await end(name);
  expect(order).toEqual(['a1', 'b1', 'c1', 'd1']);
  await end('a1');
  expect(order.at(-1)).toBe('a2');
});

test('waiting work learns its position in the line, and each change of the position', async () => {
  const { ask, end } = makeTurns();
  const places: Record<string, number[]> = { a2: [], a3: [], b1: [] };
  void ask('a1');
  for (const [name, own] of Object.entries(places)) void ask(name, { places: own });
  expect(places).toEqual({ a2: [1, 1, 2], a3: [2, 3], b1: [1] });
  await end('a1');
  expect(places).toEqual({ a2: [1, 1, 2, 1], a3: [2, 3, 2], b1: [1] });
});

test('a full line refuses all work, and a key with too much waiting work is refused alone', async () => {
  const { turns, ask } = makeTurns({ longest: 3, longestPerKey: 2 });
  for (const name of ['a1', 'a2', 'a3']) void ask(name);
  expect(turns.isFullFor('a')).toBe(true);
  expect(await ask('a4')).toBe('full');
  expect(turns.isFullFor('b')).toBe(false);
  void ask('b1');
  expect(turns.isFullFor('c')).toBe(true);
  expect(await ask('c1')).toBe('full');
});

test('work that leaves the line makes room, and later work moves up', async () => {
  const { order, ask, end } = makeTurns();
  const leaving = new AbortController();
  const places: number[] = [];
  void ask('a1');
  const left = ask('b1', { stop: leaving.signal });
  void ask('c1', { places });
  leaving.abort();
  expect(await left).toBe('left');
  expect(places).toEqual([2, 1]);
  expect(await ask('d1', { stop: leaving.signal })).toBe('left');
  await end('a1');
  expect(order).toEqual(['a1', 'c1']);
});

test('work that is stopped already does not run, even if a place is free', async () => {
  const { order, ask } = makeTurns();
  expect(await ask('a1', { stop: AbortSignal.abort() })).toBe('left');
  expect(order).toEqual([]);
});

test('a stop after the wait ends neither the running work nor another wait', async () => {
  const { order, ask, end, settle } = makeTurns();
  const stop = new AbortController();
  void ask('a1');
  const served = ask('b1', { stop: stop.signal });
  void ask('c1');
  await end('a1');
  stop.abort();
  await settle();
  await end('b1');
  expect(await served).toBe('b1');
  expect(order).toEqual(['a1', 'b1', 'c1']);
});

test('work that throws frees its place', async () => {
  const { turns, ask, order, settle } = makeTurns();
  const failing = turns.run(
    () => Promise.reject(new Error('no')),
    () => undefined,
    { key: 'a' },
  );
  await expect(failing).rejects.toThrow('no');
  void ask('b1');
  await settle();
  expect(order).toEqual(['b1']);
});
