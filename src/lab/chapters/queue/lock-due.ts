import { eq } from 'drizzle-orm';
import type { Transaction } from '../../../platform/db/client.ts';
import { tasks } from './tables.ts';

/**
 * Locks a due task until the end of the transaction, and skips tasks that other transactions have
 * locked.
 */
export async function lockDue(tx: Transaction) {
  const [task] = await tx
    .select({ id: tasks.id })
    .from(tasks)
    .where(eq(tasks.status, 'due'))
    .orderBy(tasks.id)
    .limit(1)
    .for('update', { skipLocked: true });
  return task;
}
