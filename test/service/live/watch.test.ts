import { expect, onTestFinished, test, vi } from 'vitest';
import { Watch } from '../../../src/service/live/watch.ts';

/** Makes a watch. The test decides when each check ends. */
function makeWatch() {
  const looks: { end: (news: boolean | Error) => void }[] = [];
  const wanted = { is: true };
  const deps = {
    begin: vi.fn(async () => undefined),
    look: () =>
      new Promise<boolean>((resolve, reject) => {
        looks.push({ end: (news) => (news instanceof Error ? reject(news) : resolve(news)) });
      }),
    isWanted: () => wanted.is,
    onFailure: vi.fn(),
  };
  const watch = new Watch(deps);
  onTestFinished(() => watch.close());
  const look = (n: number) => vi.waitFor(() => expect(looks).toHaveLength(n), { interval: 1 });
  return { watch, deps, looks, look, wanted };
}

/** Runs `work` with fake timers. `passed` returns the milliseconds that these timers counted. */
async function withTimers(work: (passed: () => number) => Promise<void>) {
  vi.useFakeTimers({ shouldAdvanceTime: false });
  const began = Date.now();
  try {
    await work(() => Date.now() - began);
  } finally {
    vi.useRealTimers();
  }
}

test('a check begins 100 ms after the end of the last check, so no two checks overlap', () =>
  withTimers(async (passed) => {
    const { watch, looks } = makeWatch();
    await watch.begin();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(looks).toHaveLength(1);
    for (let n = 1; n <= 3; n++) {
      looks[n - 1]?.end(n === 2);
      await vi.advanceTimersByTimeAsync(99);
      expect(looks).toHaveLength(n);
      await vi.advanceTimersByTimeAsync(1);
      expect(looks).toHaveLength(n + 1);
    }
    expect(passed()).toBe(1_300);
  }));

test('a commit of this server after a quiet time causes a check immediately, and the next commit causes a check after 100 ms', () =>
  withTimers(async () => {
    const { watch, looks } = makeWatch();
    await watch.begin();
    looks[0]?.end(false);
    await vi.advanceTimersByTimeAsync(10);
    watch.noteCommit();
    await vi.advanceTimersByTimeAsync(0);
    expect(looks).toHaveLength(2);
    looks[1]?.end(true);
    watch.noteCommit();
    await vi.advanceTimersByTimeAsync(99);
    expect(looks).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(looks).toHaveLength(3);
  }));

test('a commit during a check that finds no news causes another check immediately', () =>
  withTimers(async () => {
    const { watch, looks } = makeWatch();
    await watch.begin();
    watch.noteCommit();
    looks[0]?.end(false);
    await vi.advanceTimersByTimeAsync(0);
    expect(looks).toHaveLength(2);
  }));

test('a failed check is repeated after growing pauses, and each outage is reported once', () =>
  withTimers(async () => {
    const { watch, deps, looks } = makeWatch();
    await watch.begin();
    for (let n = 1; n <= 5; n++) {
      const longestMs = 100 * 2 ** (n - 1);
      looks[n - 1]?.end(new Error('the database is away'));
      await vi.advanceTimersByTimeAsync(longestMs / 2 - 1);
      expect(looks).toHaveLength(n);
      await vi.advanceTimersByTimeAsync(longestMs / 2 + 1);
      expect(looks).toHaveLength(n + 1);
    }
    expect(deps.onFailure).toHaveBeenCalledTimes(1);
    looks[5]?.end(false);
    await vi.advanceTimersByTimeAsync(100);
    looks[6]?.end(new Error('the database is away again'));
    await vi.advanceTimersByTimeAsync(0);
    expect(deps.onFailure).toHaveBeenCalledTimes(2);
  }));

test('there are no checks while nobody wants the news, and all who want the news share the checks', () =>
  withTimers(async () => {
    const { watch, deps, looks, wanted } = makeWatch();
    await Promise.all([watch.begin(), watch.begin()]);
    expect(deps.begin).toHaveBeenCalledTimes(1);
    expect(looks).toHaveLength(1);
    wanted.is = false;
    looks[0]?.end(false);
    watch.noteCommit();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(looks).toHaveLength(1);
    wanted.is = true;
    await watch.begin();
    expect(deps.begin).toHaveBeenCalledTimes(2);
    expect(looks).toHaveLength(2);
  }));

test('a watch goes on if somebody wants the news again before the next check', () =>
  withTimers(async () => {
    const { watch, deps, looks, wanted } = makeWatch();
    await watch.begin();
    wanted.is = false;
    looks[0]?.end(true);
    await vi.advanceTimersByTimeAsync(50);
    wanted.is = true;
    await watch.begin();
    await vi.advanceTimersByTimeAsync(50);
    expect(deps.begin).toHaveBeenCalledTimes(1);
    expect(looks).toHaveLength(2);
  }));

test('a watch that cannot begin throws the error, and can begin later', async () => {
  const { watch, deps, look } = makeWatch();
  deps.begin.mockRejectedValueOnce(new Error('the database is away'));
  await expect(watch.begin()).rejects.toThrow('the database is away');
  await watch.begin();
  await look(1);
});
