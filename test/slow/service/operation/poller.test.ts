import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Poller } from '../../../../src/service/operation/poller.ts';
import { makeQueue } from '../../../support/queue.ts';

test('a poller asks less often after some quiet answers, until there is a task or an event', async () => {
  const [quiet, task, event] = [await makeQueue(), await makeQueue(), await makeQueue()];
  const later = { runAt: new Date(Date.now() + 3_600_000) };
  await task.add(later);
  await event.db.execute(
    sql`INSERT INTO webhook_unrelayed (event_id, endpoint_ids) VALUES (1, '{1}')`,
  );
  const pollers = {
    quiet: new Poller(quiet.db),
    task: new Poller(task.db),
    event: new Poller(event.db),
  };
  type Name = keyof typeof pollers;
  // After the test, the last questions find a closed database.
  const ignore = () => undefined;

  /** Counts the answers to all pollers, until the poller with a task has this many answers. */
  async function race(most: number): Promise<Record<Name, number>> {
    const stop = new AbortController();
    const counts = { quiet: 0, task: 0, event: 0 };
    const count = async (name: Name) => {
      while (!stop.signal.aborted) {
        await pollers[name].next();
        counts[name]++;
        if (counts.task === most) stop.abort();
      }
    };
    for (const name of ['quiet', 'event'] as const) count(name).catch(ignore);
    await count('task');
    return counts;
  }

  expect((await race(5)).quiet).toBeGreaterThanOrEqual(4);
  const counts = await race(8);
  expect(counts.quiet).toBeLessThanOrEqual(5);
  expect(counts.event).toBeGreaterThanOrEqual(7);
  await quiet.add(later);
  expect((await pollers.quiet.next()).hasTask).toBe(true);
  expect((await race(6)).quiet).toBeGreaterThanOrEqual(4);
});
