import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: the lease begins with the first heartbeat, which is a statement after the claim. If the
 * worker dies in between, the task is running without a lease, and nobody ever takes it.
 */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const [task] = await db.execute<{ id: number; attempt: number }>(sql`
    update lab_queue.tasks
    set status = 'running', worker = ${worker.name}, attempt = attempt + 1
    where id = (
      select id from lab_queue.tasks
      where status = 'due' or status = 'running' and lease_until < now()
      order by id limit 1 for update skip locked)
    returning id, attempt`);
  if (!task) return { kind: 'idle' };
  const isAlive = await db.execute(sql`
    update lab_queue.tasks set lease_until = now() + interval '30 seconds'
    where id = ${task.id} and attempt = ${task.attempt} returning id`);
  if (isAlive.length === 0) return { kind: 'lost' };
  await worker.send(task.id, { id: task.id });
  const done = await db.execute(sql`
    update lab_queue.tasks set status = 'done'
    where id = ${task.id} and attempt = ${task.attempt} returning id`);
  return { kind: done.length > 0 ? 'done' : 'lost' };
}
