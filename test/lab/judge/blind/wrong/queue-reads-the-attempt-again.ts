import { and, eq } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import { takeLease } from 'rowlock/lab/chapters/queue/take-lease.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: it reads the attempt anew before it finishes the task. So it compares the attempt with
 * itself, and a worker that has lost its lease finishes the task of another worker.
 */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const taken = await takeLease(db, worker);
  if (!taken) return { kind: 'idle' };
  await worker.send(taken.id, { id: taken.id });
  const [task] = await db.select().from(tasks).where(eq(tasks.id, taken.id));
  if (!task) return { kind: 'lost' };
  const done = await db
    .update(tasks)
    .set({ status: 'done', leaseUntil: null })
    .where(and(eq(tasks.id, task.id), eq(tasks.attempt, task.attempt)))
    .returning({ id: tasks.id });
  return { kind: done.length > 0 ? 'done' : 'lost' };
}
