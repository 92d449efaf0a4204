import { eq } from 'drizzle-orm';
import type { Database, Transaction } from '../../../../db/client.ts';
import { tasks } from '../tables.ts';

/** Marks the task as done, whoever holds it. */
export const finish = (db: Database | Transaction, taskId: number) =>
  db.update(tasks).set({ status: 'done', leaseUntil: null }).where(eq(tasks.id, taskId));
