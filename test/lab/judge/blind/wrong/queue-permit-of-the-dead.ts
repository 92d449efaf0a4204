import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: a worker takes the only permit before it takes a task, and gives it back at the end. The
 * permit has no lease. If the worker dies, nobody gives the permit back, and all others are told
 * that the limit is reached.
 */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const permit = await db.execute(
    sql`update lab_queue.permits set free = free - 1 where free > 0 returning id`,
  );
  if (permit.length === 0) return { kind: 'full' };
  try {
    return await workWithPermit(db, worker);
  } finally {
    await db.execute(sql`update lab_queue.permits set free = free + 1`);
  }
}

async function workWithPermit(db: Database, worker: Worker): Promise<Outcome> {
  const [task] = await db.execute<{ id: number; attempt: number }>(sql`
    update lab_queue.tasks
    set status = 'running', worker = ${worker.name}, attempt = attempt + 1,
      lease_until = now() + interval '1 minute'
    where id = (
      select id from lab_queue.tasks
      where status = 'due' or status = 'running' and lease_until < now()
      order by id limit 1 for update skip locked)
    returning id, attempt`);
  if (!task) return { kind: 'idle' };
  await worker.send(task.id, { id: task.id });
  const done = await db.execute(sql`
    update lab_queue.tasks set status = 'done'
    where id = ${task.id} and attempt = ${task.attempt} returning id`);
  return { kind: done.length > 0 ? 'done' : 'lost' };
}
