import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Locks } from '../../src/client/follow/locks.ts';
import { type SharedDeps, SharedStream } from '../../src/client/follow/shared.ts';
import type { FollowStatus } from '../../src/client/follow/stream.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The lock is held by another tab. That tab never releases the lock, but this tab can steal it. */
const held: Locks = {
  request: (_name, { steal, signal }, work) =>
    steal
      ? work({})
      : new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
};

/** The lock is free, so this tab is the leader. */
const free: Locks = { request: (_name, _options, work) => work({}) };

/**
 * Opens a tab. `untilStatuses` resolves with the tab's statuses when there are at least `count`.
 */
function openTab(deps: Pick<SharedDeps, 'locks' | 'topic'> & Partial<SharedDeps>) {
  const statuses: FollowStatus[] = [];
  const heard = new EventTarget();
  const leaving = new AbortController();
  const { signal } = leaving;
  const listener = {
    onEvent: () => undefined,
    onStatus(status: FollowStatus) {
      statuses.push(status);
      heard.dispatchEvent(new Event('status'));
    },
  };
  const keep = async () => undefined;
  void new SharedStream({ fullState: () => undefined, keep, ...deps, listener, signal }).run();
  return {
    async untilStatuses(count: number) {
      while (statuses.length < count) await once(heard, 'status');
      return statuses;
    },
    leave: () => leaving.abort(),
  };
}

/** Opens the leader of a topic. Its stream reports these statuses, and then nothing more. */
const openLeader = (topic: string, ...statuses: FollowStatus[]) =>
  openTab({
    topic,
    locks: free,
    fullState: () => [
      { name: 'begin', data: {} },
      { name: 'end', data: {} },
    ],
    async keep({ onStatus }, signal) {
      for (const status of statuses) onStatus(status);
      await once(signal, 'abort');
    },
  });

/**
 * Takes the network from the browser. Returns the function that sends the event `offline` to the
 * tabs of the browser.
 */
function goOffline() {
  const network = new EventTarget();
  vi.stubGlobal('addEventListener', network.addEventListener.bind(network));
  vi.stubGlobal('navigator', { onLine: false });
  return () => network.dispatchEvent(new Event('offline'));
}

test('a new tab is offline, and never live, if its leader is offline', async () => {
  const leader = openLeader('late', 'live', 'offline');
  const tab = openTab({ locks: held, topic: 'late' });
  expect(await tab.untilStatuses(1)).toEqual(['offline']);
  for (const each of [leader, tab]) each.leave();
});

test('a tab whose leader is frozen notices that the browser is offline', async () => {
  const tell = goOffline();
  const tab = openTab({ locks: held, topic: 'alone' });
  tell();
  expect(await tab.untilStatuses(1)).toEqual(['offline']);
  tab.leave();
});

test('a tab of an offline browser is live again if its leader still reaches the service', async () => {
  const tell = goOffline();
  const leader = openLeader('local', 'live');
  const tab = openTab({ locks: held, topic: 'local' });
  expect(await tab.untilStatuses(1)).toEqual(['live']);
  tell();
  expect(await tab.untilStatuses(3)).toEqual(['live', 'offline', 'live']);
  for (const each of [leader, tab]) each.leave();
});

// test/slow/client/tabs.test.ts tests the tabs of a real browser.
test('a tab takes the lock away from a leader that has sent nothing for a minute and a half', async () => {
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
