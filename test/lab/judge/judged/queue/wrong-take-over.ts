import { and, eq, lt, sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

const leaseUntil = sql`now() + interval '1 minute'`;

/**
 * Wrong: the fence is right, but a take-over is a read and a separate write. Two workers that read
 * at the same time get the same attempt, so both pass the fence.
 */
export default async (db: Database, worker: Worker): Promise<Outcome> => {
  const task = (await takeDue(db)) ?? (await takeOver(db));
  if (!task) return { kind: 'idle' };
  await worker.send(task.id, { id: task.id });
  const isMine = and(eq(tasks.id, task.id), eq(tasks.attempt, task.attempt));
  const done = await db.update(tasks).set({ status: 'done' }).where(isMine).returning();
  return { kind: done.length > 0 ? 'done' : 'lost' };
};

async function takeDue(db: Database) {
  const [task] = await db.execute<{ id: number; attempt: number }>(sql`
    update ${tasks} set status = 'running', attempt = 1, lease_until = ${leaseUntil}
    where id = (select id from ${tasks} where status = 'due' order by id limit 1
      for update skip locked) returning id, attempt`);
  return task;
}

async function takeOver(db: Database) {
  const isOver = and(eq(tasks.status, 'running'), lt(tasks.leaseUntil, sql`now()`));
  const [task] = await db.select().from(tasks).where(isOver).limit(1);
  if (!task) return undefined;
  const attempt = task.attempt + 1;
  await db.update(tasks).set({ attempt, leaseUntil }).where(eq(tasks.id, task.id));
  return { id: task.id, attempt };
}
