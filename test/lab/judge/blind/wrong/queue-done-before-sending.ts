import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Wrong: it marks the task as done before it sends. If the worker dies in between, no mail is sent. */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const [task] = await db.execute<{ id: number }>(sql`
    update lab_queue.tasks set status = 'done', worker = ${worker.name}
    where id = (
      select id from lab_queue.tasks where status = 'due'
      order by id limit 1 for update skip locked)
    returning id`);
  if (!task) return { kind: 'idle' };
  await worker.send(task.id, { id: task.id });
  return { kind: 'done' };
}
