import { afterEach, expect, test, vi } from 'vitest';
import { SLOW_MS, SLOW_PER_PLACE } from '../../../src/service/queue/limits.ts';
import { HeldTask } from '../../../src/service/queue/worker/attempt.ts';
import { Holding } from '../../../src/service/queue/worker/holding.ts';

afterEach(() => void vi.useRealTimers());

const held = (id: number) =>
  new HeldTask(
    {
      id: BigInt(id),
      kind: 'work',
      lane: `lane ${id}`,
      payload: {},
      attempt: 1,
      attemptsLeft: 1,
      waitedSeconds: 0,
    },
    performance.now(),
  );

test('a slow attempt frees its worker slot for another attempt, up to a limit', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const holding = new Holding({ places: 2, perLane: 2 });
  let id = 0;
  const fill = () => {
    while (holding.free > 0) holding.add(held(++id));
    return holding.running;
  };
  expect(fill()).toBe(2);
  vi.advanceTimersByTime(SLOW_MS + 1);
  expect(fill()).toBe(4);
  for (let seconds = 0; seconds < 100; seconds++) {
    vi.advanceTimersByTime(SLOW_MS + 1);
    fill();
  }
  expect(holding.running).toBe(2 + 2 * SLOW_PER_PLACE);
});
