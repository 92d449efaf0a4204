import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Locks } from '../../src/client/follow/locks.ts';
import { SharedStream } from '../../src/client/follow/shared.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The lock of another tab. It does not end, but it can be taken away. */
const held: Locks = {
  request: (_name, { steal, signal }, work) =>
    steal
      ? work({})
      : new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
};

// test/slow/client/tabs.test.ts has tabs of a browser.
test('a tab takes the lock away from a tab that has been silent for a minute and a half', async () => {
  const stop = new AbortController();
  const keep = vi.fn(async () => undefined);
  const listener = { onEvent: () => undefined, onStatus: () => undefined };
  const deps = { locks: held, topic: 'frozen', keep, listener, fullState: () => undefined };
  const ended = new SharedStream({ ...deps, signal: stop.signal }).run();
  await vi.advanceTimersByTimeAsync(89_000);
  expect(keep).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(keep).toHaveBeenCalledOnce();
  stop.abort();
  await vi.advanceTimersByTimeAsync(30_000);
  await ended;
});
