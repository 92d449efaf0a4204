import { eq } from 'drizzle-orm';
import { finishIf } from 'rowlock/lab/chapters/queue/finish.ts';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import { takeLease } from 'rowlock/lab/chapters/queue/take-lease.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Right: the fence is the worker in the row, and not the attempt. Names may repeat, so the name has
 * the worker's number, which no other worker ever has. The mail server drops repeats by id.
 */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const mark = `${worker.name}#${worker.id}`;
  const task = await takeLease(db, { ...worker, name: mark });
  if (!task) return { kind: 'idle' };
  await worker.send(task.id, { id: task.id });
  const isWritten = await finishIf(db, task.id, eq(tasks.worker, mark));
  return { kind: isWritten ? 'done' : 'lost' };
}
