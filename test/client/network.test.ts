import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createClient, type FollowStatus } from '../../src/client/index.ts';
import { runServer } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { urlOf } from '../support/server.ts';

// The server is a separate process, because this process uses fake timers.
const url = await urlOf(runServer({ DATABASE_URL: await makeDatabase() }));

/** The network of a browser. Node lacks these parts of a browser, so the test adds them. */
let network: EventTarget & { isThere: boolean };
beforeEach(() => {
  network = Object.assign(new EventTarget(), { isThere: true });
  vi.stubGlobal('addEventListener', network.addEventListener.bind(network));
  vi.stubGlobal('navigator', {
    get onLine() {
      return network.isThere;
    },
  });
  // With fake timers, no pause ends by itself.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function change(isThere: boolean) {
  network.isThere = isThere;
  network.dispatchEvent(new Event(isThere ? 'online' : 'offline'));
}

/** Follows a job with a client whose requests fail while `reaches` returns false. */
function follow(reaches = () => network.isThere) {
  const statuses: FollowStatus[] = [];
  let onStatus = () => {};
  const rowlock = createClient(url, {
    fetch: (input, init) =>
      reaches() ? fetch(input, init) : Promise.reject(new TypeError('no network')),
  });
  stops.push(
    rowlock.followJobs(
      { jobs: [1] },
      {
        onJobs: () => undefined,
        onStatus(status) {
          statuses.push(status);
          onStatus();
        },
      },
    ),
  );
  const shows = (...wanted: FollowStatus[]) =>
    new Promise<void>((resolve) => {
      onStatus = () => String(statuses) === String(wanted) && resolve();
      onStatus();
    });
  return { rowlock, shows };
}

test('a stream is offline as soon as the browser loses its network, and live as soon as the network is back', async () => {
  const { shows } = follow();
  await shows('connecting', 'live');
  change(false);
  // The client reports the second `offline` after the next attempt fails. Then the client pauses.
  await shows('connecting', 'live', 'offline', 'offline');
  change(true);
  await shows('connecting', 'live', 'offline', 'offline', 'live');
});

test('a browser without a network still follows a service on its own machine', async () => {
  const { shows } = follow(() => true);
  await shows('connecting', 'live');
  change(false);
  await shows('connecting', 'live', 'offline', 'live');
});

test('a call of a browser without a network fails without a repeat', async () => {
  const { rowlock } = follow();
  network.isThere = false;
  const onWait = vi.fn();
  const answer = await rowlock.claimJob({ jobId: 1, recruiterId: 1 }, { onWait });
  expect(answer).toMatchObject({ code: 'offline', status: 0 });
  expect(onWait).not.toHaveBeenCalled();
});

test('a call of a browser without a network still reaches a service on its own machine', async () => {
  const { rowlock } = follow(() => true);
  network.isThere = false;
  expect(await rowlock.claimJob({ jobId: 1, recruiterId: 1 })).toMatchObject({ ok: true });
});

test('a call with a signal reports after 30 seconds that the service does not answer', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const rowlock = createClient(`http://127.0.0.1:${port}`);
  const leaving = new AbortController();
  const onWait = vi.fn();
  const asked = once(silent, 'connection');
  const answer = rowlock.claimJob({ jobId: 1, recruiterId: 1 }, { signal: leaving.signal, onWait });
  await asked;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(onWait).toHaveBeenCalledWith(expect.objectContaining({ code: 'no-answer' }));
  leaving.abort();
  await expect(answer).rejects.toThrow();
});
