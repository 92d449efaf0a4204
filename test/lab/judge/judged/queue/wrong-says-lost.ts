import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import rightWork from './right-fenced-lease.ts';

/** Wrong: it says that another worker has the task, though it has finished the task itself. */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  const outcome = await rightWork(db, worker);
  return outcome.kind === 'done' ? { kind: 'lost' } : outcome;
}
