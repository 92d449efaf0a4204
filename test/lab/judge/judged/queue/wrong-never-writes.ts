import { sql } from 'drizzle-orm';
import { outbox } from 'rowlock/lab/chapters/queue/strategies/outbox.ts';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Wrong: only a later worker writes into the outbox. The first two workers never look for a task. */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  if (worker.id > 2) return outbox.work(db, worker);
  await db.execute(sql`select from lab_queue.tasks`);
  return { kind: 'lost' };
}
