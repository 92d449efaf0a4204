import { eq } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: repeats the whole transaction after a serialization failure, and so sends the mail again.
 */
export default async (db: Database, worker: Worker): Promise<Outcome> => {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(
        async (tx): Promise<Outcome> => {
          const [task] = await tx
            .select()
            .from(tasks)
            .where(eq(tasks.status, 'due'))
            .orderBy(tasks.id)
            .limit(1);
          if (!task) return { kind: 'idle' };
          await worker.send(task.id);
          await tx.update(tasks).set({ status: 'done' }).where(eq(tasks.id, task.id));
          return { kind: 'done' };
        },
        { isolationLevel: 'serializable' },
      );
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
};
