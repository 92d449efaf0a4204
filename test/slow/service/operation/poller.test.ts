import { expect, test } from 'vitest';
import { Poller } from '../../../../src/service/operation/poller.ts';
import { makeQueue } from '../../../support/queue.ts';

test('a poller asks less often after some quiet answers, until there is a task again', async () => {
  const [quiet, busy] = [await makeQueue(), await makeQueue()];
  await busy.add({ runAt: new Date(Date.now() + 3_600_000) });
  const pollers = { quiet: new Poller(quiet.db), busy: new Poller(busy.db) };
  /** Counts the answers to two pollers, until the poller with a task has this many answers. */
  async function race(most: number) {
    const stop = new AbortController();
    const counts = { quiet: 0, busy: 0 };
    const count = async (name: 'quiet' | 'busy', poller: Poller) => {
      while (!stop.signal.aborted) {
        await poller.next();
        counts[name]++;
        if (counts.busy === most) stop.abort();
      }
    };
    void count('quiet', pollers.quiet);
    await count('busy', pollers.busy);
    return counts;
  }
  expect((await race(5)).quiet).toBeGreaterThanOrEqual(4);
  expect((await race(8)).quiet).toBeLessThanOrEqual(5);
  await quiet.add({ runAt: new Date(Date.now() + 3_600_000) });
  expect((await pollers.quiet.next()).hasTask).toBe(true);
  expect((await race(6)).quiet).toBeGreaterThanOrEqual(4);
});
