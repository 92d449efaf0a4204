import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: it takes each task whose lease has ended, and does not check the status. A task that is
 * done keeps the end of its lease, so it is taken and finished again later.
 */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const [task] = await db.execute<{ id: number; attempt: number }>(sql`
    update lab_queue.tasks
    set status = 'running', worker = ${worker.name}, attempt = attempt + 1,
      lease_until = now() + interval '30 seconds'
    where id = (
      select id from lab_queue.tasks where lease_until is null or lease_until < now()
      order by id limit 1 for update skip locked)
    returning id, attempt`);
  if (!task) return { kind: 'idle' };
  await worker.send(task.id, { id: task.id });
  const done = await db.execute(sql`
    update lab_queue.tasks set status = 'done'
    where id = ${task.id} and attempt = ${task.attempt} returning id`);
  return { kind: done.length > 0 ? 'done' : 'lost' };
}
