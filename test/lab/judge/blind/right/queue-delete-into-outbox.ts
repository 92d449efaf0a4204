import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Right: one statement deletes the task and writes its mail. A task that is gone is done, and a
 * worker that dies has done both or nothing.
 */
export default async function work(db: Database, _worker: Worker): Promise<Outcome> {
  const written = await db.execute(sql`
    with taken as (
      delete from lab_queue.tasks where id = (
        select id from lab_queue.tasks where status = 'due'
        order by id limit 1 for update skip locked)
      returning id
    )
    insert into lab_queue.outbox (task_id) select id from taken returning task_id`);
  return { kind: written.length > 0 ? 'done' : 'idle' };
}
