import { and, eq, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Outcome, Worker } from 'rowlock/lab/chapters/queue/strategy.ts';
import { tasks } from 'rowlock/lab/chapters/queue/tables.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

/**
 * Wrong: before it takes the task, it checks only that the attempt has not changed. An outcome does
 * not change the attempt. So the worker takes a task that another worker has finished since the
 * read.
 */
export default {
  async work(db: Database, worker: Worker): Promise<Outcome> {
    for (;;) {
      const [seen] = await db
        .select({ id: tasks.id, attempt: tasks.attempt })
        .from(tasks)
        .where(
          and(
            ne(tasks.status, 'done'),
            or(isNull(tasks.leaseUntil), lt(tasks.leaseUntil, sql`now()`)),
          ),
        )
        .orderBy(tasks.id)
        .limit(1);
      if (!seen) return { kind: 'idle' };
      const mine = seen.attempt + 1;
      const taken = await db
        .update(tasks)
        .set({ attempt: mine, worker: worker.name, leaseUntil: sql`now() + interval '1 minute'` })
        .where(and(eq(tasks.id, seen.id), eq(tasks.attempt, seen.attempt)))
        .returning({ id: tasks.id });
      if (taken.length === 0) continue;
      await worker.send(seen.id, { id: seen.id });
      const done = await db
        .update(tasks)
        .set({ status: 'done' })
        .where(and(eq(tasks.id, seen.id), eq(tasks.attempt, mine)))
        .returning({ id: tasks.id });
      return done.length > 0 ? { kind: 'done' } : { kind: 'lost' };
    }
  },
};
