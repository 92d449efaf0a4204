import { eq } from 'drizzle-orm';
import { finishIf } from 'rowlock/lab/chapters/queue/finish.ts';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { outbox, tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import { takeLease } from 'rowlock/lab/chapters/queue/take-lease.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: the transaction writes the mail, and then finds that the lease is lost. It returns
 * instead of rolling back, so the mail of the late worker is committed too.
 */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const task = await takeLease(db, worker);
  if (!task) return { kind: 'idle' };
  return db.transaction(async (tx) => {
    await tx.insert(outbox).values({ taskId: task.id });
    const isWritten = await finishIf(tx, task.id, eq(tasks.attempt, task.attempt));
    return { kind: isWritten ? 'done' : 'lost' };
  });
}
