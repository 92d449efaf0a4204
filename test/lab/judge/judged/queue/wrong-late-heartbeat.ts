import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Wrong: the heartbeat comes after the mail, so it is too late for the mail. */
export default async (db: Database, worker: Worker): Promise<Outcome> => {
  const [task] = await db.execute<{ id: number; attempt: number }>(sql`
    update lab_queue.tasks set status = 'running', attempt = attempt + 1,
      lease_until = now() + interval '10 seconds'
    where id = (select id from lab_queue.tasks
      where status = 'due' or (status = 'running' and lease_until < now())
      order by id limit 1 for update skip locked)
    returning id, attempt`);
  if (!task) return { kind: 'idle' };
  await worker.send(task.id);
  const alive = await db.transaction((tx) =>
    tx.execute(sql`
    update lab_queue.tasks set lease_until = now() + interval '10 seconds'
    where id = ${task.id} and attempt = ${task.attempt} returning id`),
  );
  if (alive.length === 0) return { kind: 'lost' };
  await db.execute(sql`update lab_queue.tasks set status = 'done'
    where id = ${task.id} and attempt = ${task.attempt}`);
  return { kind: 'done' };
};
