import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import rightWork from './right-fenced-lease.ts';

/** Wrong: it does the work, and gives no answer. */
export default async function work(db: Database, worker: Worker): Promise<Outcome | undefined> {
  await rightWork(db, worker);
  return undefined;
}
