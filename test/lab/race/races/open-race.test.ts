import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OpenRace } from '../../../../src/lab/race/races/open-race.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const REQUEST = 'a request';

/** A race whose requests run until the test ends them. */
function makeRace() {
  let letGo = () => {};
  const asked = new Promise<string>((resolve) => {
    letGo = () => resolve('an answer');
  });
  const course = { capacity: 4, requests: [REQUEST], queries: [], ids: {}, sessionOf: () => 1 };
  const race = new OpenRace(course, () => asked, { idleMs: 10, longestMs: 100 });
  const hasEnded = vi.fn();
  void race.ended.then(hasEnded);
  return { race, letGo, hasEnded };
}

test('a race with a running request is not idle, but ends after its maximum time', async () => {
  const { race, hasEnded } = makeRace();
  void race.ask(REQUEST);
  await vi.advanceTimersByTimeAsync(99);
  expect(hasEnded).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(hasEnded).toHaveBeenCalled();
});

test('a request for the result restarts the idle time of a race', async () => {
  const { race, hasEnded } = makeRace();
  await vi.advanceTimersByTimeAsync(9);
  race.stir();
  await vi.advanceTimersByTimeAsync(9);
  expect(hasEnded).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(hasEnded).toHaveBeenCalled();
});

test('a race that has ended refuses requests, and becomes still only when its running requests have ended', async () => {
  const { race, letGo } = makeRace();
  const running = race.ask(REQUEST);
  race.end();
  expect(await race.ask(REQUEST)).toBeUndefined();
  const isStill = vi.fn();
  const still = race.still().then(isStill);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isStill).not.toHaveBeenCalled();
  letGo();
  await still;
  expect(await running).toEqual({ answer: 'an answer' });
});
