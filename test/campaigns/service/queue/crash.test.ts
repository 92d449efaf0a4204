import { expect, test, vi } from 'vitest';
import { makeQueue } from '../../../support/queue.ts';
import { startProcess, writtenBy } from '../../../support/worker-process.ts';

test('a worker whose event loop was blocked notices that its lease has ended, and cannot renew the lease', async () => {
  const queue = await makeQueue();
  const { url, add, row } = queue;
  const blocked = await startProcess(url, 'blocked');
  const [id] = await add({ attempts: 1, payload: { act: 'block', ms: 15_500 } });
  await blocked.says(/ended lost/);
  expect(blocked.stdout()).toContain('able to renew: false');
  expect(blocked.stdout()).toContain('the lease of the task has ended');
  // No other worker has taken the task, so the fence alone would accept the outcome.
  expect(await writtenBy(queue)).toEqual([]);
  await vi.waitFor(async () => expect(await row(id)).toMatchObject({ ended: 'dead' }), {
    timeout: 40_000,
  });
});
