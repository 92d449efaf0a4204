import { eq } from 'drizzle-orm';
import { finishIf } from 'rowlock/lab/chapters/queue/finish.ts';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import { takeLease } from 'rowlock/lab/chapters/queue/take-lease.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: the mail has an id, but each attempt has an id of its own. So the mail server does not
 * recognize the repeat after a death.
 */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const task = await takeLease(db, worker);
  if (!task) return { kind: 'idle' };
  await worker.send(task.id, { id: task.id * 1_000 + task.attempt });
  const isWritten = await finishIf(db, task.id, eq(tasks.attempt, task.attempt));
  return { kind: isWritten ? 'done' : 'lost' };
}
