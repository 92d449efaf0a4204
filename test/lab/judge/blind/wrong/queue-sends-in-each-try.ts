import { asc, eq } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';
import { databaseError, SQLSTATE } from 'rowlock/platform/db/sqlstate.ts';

/**
 * Wrong: PostgreSQL finds the conflict of two workers, but only after both have sent. The rollback
 * does not take the second mail back, and the mail has no id.
 */
export default async function work(db: Database, worker: Worker): Promise<Outcome> {
  for (;;) {
    try {
      return await db.transaction(
        async (tx): Promise<Outcome> => {
          const [task] = await tx
            .select()
            .from(tasks)
            .where(eq(tasks.status, 'due'))
            .orderBy(asc(tasks.id))
            .limit(1);
          if (!task) return { kind: 'idle' };
          await worker.send(task.id);
          await tx.update(tasks).set({ status: 'done' }).where(eq(tasks.id, task.id));
          return { kind: 'done' };
        },
        { isolationLevel: 'serializable' },
      );
    } catch (error) {
      if (databaseError(error)?.code !== SQLSTATE.serializationFailure) throw error;
    }
  }
}
