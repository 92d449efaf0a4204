import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

const LOCK_NOT_AVAILABLE = '55P03';

/** Right: does not wait for the lock, but tries again after a pause. */
export default async (db: Database, worker: Worker): Promise<Outcome> => {
  for (let tries = 1; tries <= 3; tries++) {
    try {
      return await workUnderLock(db, worker);
    } catch (error) {
      if (((error as Error).cause as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      await pause(50 * 2 ** tries + 50 * Math.random());
    }
  }
  return { kind: 'lost' };
};

const workUnderLock = (db: Database, worker: Worker): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const [task] = await tx.execute<{ id: number }>(sql`
      select id from lab_queue.tasks where status = 'due' order by id limit 1 for update nowait`);
    if (!task) return { kind: 'idle' };
    await worker.send(task.id, { id: task.id });
    await tx.execute(sql`update lab_queue.tasks set status = 'done' where id = ${task.id}`);
    return { kind: 'done' };
  });
