import { and, eq, type SQL } from 'drizzle-orm';
import type { Database, Transaction } from '../../../platform/db/client.ts';
import { tasks } from './tables.ts';

/** Marks the task as done. Does not check who holds the task. */
export const finish = (db: Database | Transaction, taskId: number) =>
  db.update(tasks).set({ status: 'done', leaseUntil: null }).where(eq(tasks.id, taskId));

/**
 * Marks the task as done if the task fits the condition. Returns false if the task does not fit.
 */
export async function finishIf(
  db: Database | Transaction,
  taskId: number,
  condition: SQL,
  count: { attempt?: SQL } = {},
): Promise<boolean> {
  const written = await db
    .update(tasks)
    .set({ status: 'done', leaseUntil: null, ...count })
    .where(and(eq(tasks.id, taskId), condition))
    .returning({ id: tasks.id });
  return written.length > 0;
}
