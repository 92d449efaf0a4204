import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Right: a lease, a mail with an id, and an outcome that only the newest attempt writes. */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const [task] = await db.execute<{ id: number; attempt: number }>(sql`
    with next as (
      select id from lab_queue.tasks
      where status <> 'done' and (lease_until is null or lease_until < now())
      order by id limit 1
      for update skip locked
    )
    update lab_queue.tasks t
    set status = 'running', worker = ${worker.name}, attempt = t.attempt + 1,
      lease_until = now() + interval '30 seconds'
    from next where t.id = next.id
    returning t.id, t.attempt`);
  if (!task) return { kind: 'idle' };
  await worker.send(task.id, { id: task.id });
  const done = await db.execute(sql`
    update lab_queue.tasks set status = 'done'
    where id = ${task.id} and attempt = ${task.attempt} returning id`);
  return { kind: done.length === 1 ? 'done' : 'lost' };
}
