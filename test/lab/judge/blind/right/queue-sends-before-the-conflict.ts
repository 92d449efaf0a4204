import { asc, eq } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';

const MOST_TRIES = 10;

/**
 * Right: it takes no lock and may send a mail twice, but the mail server drops the repeat by its id.
 * REPEATABLE READ lets only one worker write the end of the task, and the other tries again.
 */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  let hasSent = false;
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    try {
      return await db.transaction(
        async (tx): Promise<Outcome> => {
          const [task] = await tx
            .select()
            .from(tasks)
            .where(eq(tasks.status, 'due'))
            .orderBy(asc(tasks.id))
            .limit(1);
          if (!task) return { kind: hasSent ? 'lost' : 'idle' };
          await worker.send(task.id, { id: task.id });
          hasSent = true;
          await tx.update(tasks).set({ status: 'done' }).where(eq(tasks.id, task.id));
          return { kind: 'done' };
        },
        { isolationLevel: 'repeatable read' },
      );
    } catch (error) {
      if (databaseError(error)?.code !== SQLSTATE.serializationFailure) throw error;
    }
  }
  return { kind: 'lost' };
}
