import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import rightWork from './right-fenced-lease.ts';

/** Wrong: only a later worker does the work. The first two say that another worker has the task. */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  if (worker.id > 2) return rightWork(db, worker);
  await db.execute(sql`select from lab_queue.tasks`);
  return { kind: 'lost' };
}
