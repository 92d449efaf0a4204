import { sql } from 'drizzle-orm';
import type { Outcome } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: takes a lock that outlives the transaction, and never gives the lock back. The next worker
 * waits for ever. A death would free the lock.
 */
export default async (db: Database): Promise<Outcome> => {
  await db.execute(sql`select pg_advisory_lock(4713)`);
  return db.transaction(async (tx) => {
    const [task] = await tx.execute<{ id: number }>(sql`
      select id from lab_queue.tasks where status = 'due' order by id limit 1`);
    if (!task) return { kind: 'idle' };
    await tx.execute(sql`insert into lab_queue.outbox (task_id) values (${task.id})`);
    await tx.execute(sql`update lab_queue.tasks set status = 'done' where id = ${task.id}`);
    return { kind: 'done' };
  });
};
