import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '../../../../src/claims/rules.ts';
import { OpenRace } from '../../../../src/lab/race/races/open-race.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const REQUEST = { jobId: 1n, recruiterId: 1n };

/** A race whose claims run until they are let go. */
function makeRace() {
  let letGo = () => {};
  const claimed = new Promise<Outcome>((resolve) => {
    letGo = () => resolve({ kind: 'busy' });
  });
  const track = { jobId: 1n, recruiterIds: [1n] };
  const race = new OpenRace(track, 4, () => claimed, { idleMs: 10, longestMs: 100 });
  const hasEnded = vi.fn();
  void race.ended.then(hasEnded);
  return { race, letGo, hasEnded };
}

test('a race does not idle while a claim runs, and ends when its time is up', async () => {
  const { race, hasEnded } = makeRace();
  void race.claim(REQUEST);
  await vi.advanceTimersByTimeAsync(99);
  expect(hasEnded).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(hasEnded).toHaveBeenCalled();
});

test('a race that somebody asks about does not idle', async () => {
  const { race, hasEnded } = makeRace();
  await vi.advanceTimersByTimeAsync(9);
  race.stir();
  await vi.advanceTimersByTimeAsync(9);
  expect(hasEnded).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(hasEnded).toHaveBeenCalled();
});

test('a race that has ended takes no claim, and is still once those that run have ended', async () => {
  const { race, letGo } = makeRace();
  const running = race.claim(REQUEST);
  race.end();
  expect(await race.claim(REQUEST)).toBeUndefined();
  const isStill = vi.fn();
  const still = race.still().then(isStill);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isStill).not.toHaveBeenCalled();
  letGo();
  await still;
  expect(await running).toEqual({ kind: 'busy' });
});
