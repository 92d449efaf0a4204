import { sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/** Right: a fenced lease. Two further names of PostgreSQL's clock decide when the lease ends. */
class Leases {
  private readonly seconds: number;

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  async work(db: Database, worker: Worker): Promise<Outcome> {
    const task = await this.claim(db, worker);
    if (!task) return { kind: 'idle' };
    await worker.send(task.id, { id: task.id });
    const rows = await db.execute(sql`
      UPDATE lab_queue.tasks SET status = 'done'
      WHERE id = ${task.id} AND attempt = ${task.attempt} RETURNING id`);
    return { kind: rows.length === 1 ? 'done' : 'lost' };
  }

  private async claim(db: Database, { name }: Worker) {
    const [task] = await db.execute<{ id: number; attempt: number }>(sql`
      UPDATE lab_queue.tasks SET status = 'running', worker = ${name}, attempt = attempt + 1,
        lease_until = transaction_timestamp() + make_interval(secs => ${this.seconds})
      WHERE id = (
        SELECT id FROM lab_queue.tasks
        WHERE status = 'due' OR status = 'running' AND lease_until < CURRENT_TIMESTAMP
        ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, attempt`);
    return task;
  }
}

export default new Leases(30);
