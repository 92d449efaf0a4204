import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import rightWork from './right-fenced-lease.ts';

/** Wrong: it says `done` where it found no task, so its worker never rests. */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  await rightWork(db, worker);
  return { kind: 'done' };
}
