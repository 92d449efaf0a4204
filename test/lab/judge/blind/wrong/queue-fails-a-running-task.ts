import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** The maximum number of attempts of a task. */
const MOST = 2;

/**
 * Wrong: before it takes a task, it marks as failed all tasks that have had enough attempts. It
 * does not check whether the last attempt still runs, so a failed task may be done later.
 */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  await db.execute(sql`
    update lab_queue.tasks set status = 'failed'
    where status = 'running' and attempt >= ${MOST}`);
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
