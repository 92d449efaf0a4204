import { and, eq, isNull, lt, ne, or, sql } from 'drizzle-orm';
import { finish } from 'rowlock/lab/chapters/queue/finish.ts';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

const isFree = or(isNull(tasks.leaseUntil), lt(tasks.leaseUntil, sql`now()`));

/** The mark ends by itself after a minute. Then another worker may take the task. */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const due = db
    .select({ id: tasks.id })
    .from(tasks)
    .where(and(ne(tasks.status, 'done'), isFree))
    .orderBy(tasks.id)
    .limit(1)
    .for('update', { skipLocked: true });
  const [task] = await db
    .update(tasks)
    .set({ status: 'running', worker: worker.name, leaseUntil: sql`now() + interval '1 minute'` })
    .where(eq(tasks.id, due))
    .returning({ id: tasks.id });
  if (!task) return { kind: 'idle' };

  await worker.send(task.id);
  await finish(db, task.id);
  return { kind: 'done' };
}
