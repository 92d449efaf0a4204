import { eq } from 'drizzle-orm';
import { finishIf } from 'rowlock/lab/chapters/queue/finish.ts';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { outbox, tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import { takeLease } from 'rowlock/lab/chapters/queue/take-lease.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: the mail is in the outbox, but not in the transaction that finishes the task. If the worker
 * dies between the two statements, the next worker writes a second mail.
 */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const task = await takeLease(db, worker);
  if (!task) return { kind: 'idle' };
  await db.insert(outbox).values({ taskId: task.id });
  const isWritten = await finishIf(db, task.id, eq(tasks.attempt, task.attempt));
  return { kind: isWritten ? 'done' : 'lost' };
}
