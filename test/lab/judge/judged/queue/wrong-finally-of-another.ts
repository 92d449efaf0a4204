import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Wrong: a slow worker gives back the task of its successor. */
export default async (db: Database, worker: Worker): Promise<Outcome> => {
  const [task] = await db.execute<{ id: number; attempt: number }>(sql`
    update lab_queue.tasks set status = 'running', attempt = attempt + 1,
      lease_until = now() + interval '10 seconds'
    where id = (select id from lab_queue.tasks
      where status = 'due' or (status = 'running' and lease_until < now())
      order by id limit 1 for update skip locked)
    returning id, attempt`);
  if (!task) return { kind: 'idle' };
  let isDone = false;
  try {
    await worker.send(task.id, { id: task.id });
    const rows = await db.execute(sql`update lab_queue.tasks set status = 'done'
      where id = ${task.id} and attempt = ${task.attempt} returning id`);
    isDone = rows.length > 0;
    return { kind: isDone ? 'done' : 'lost' };
  } finally {
    if (!isDone)
      await db.execute(sql`update lab_queue.tasks set status = 'due' where id = ${task.id}`);
  }
};
