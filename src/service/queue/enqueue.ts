import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { compiled } from '../../platform/db/compiled.ts';
import { tasks } from './tables.ts';

export interface NewTask {
  kind: string;
  /** The lane. Workers take tasks from the lanes in turn. The default is the empty name. */
  lane?: string;
  /** The data of the task. JSON must be able to represent the data. */
  payload: unknown;
  /** The task is due from this time on. By default, the task is due immediately. */
  runAt?: Date;
  /** The number of allowed attempts. */
  attempts: number;
}

const ENQUEUE = compiled(sql`
  insert into ${tasks} (kind, lane, payload, run_at, attempts_left)
  select kind, coalesce(lane, ''), coalesce(payload, 'null'),
    coalesce("runAt", ${NOW}), attempts
  from rows from (jsonb_to_recordset(${sql.placeholder('newTasks')}::text::jsonb) as (
    kind text, lane text, payload jsonb, "runAt" timestamptz, attempts int
  )) with ordinality
  order by ordinality
  returning id`);

/**
 * Adds tasks, and returns their ids in the order of `newTasks`. If `db` is a transaction, the tasks
 * exist if and only if the transaction commits. Wake the worker of this process after the commit.
 */
export async function enqueue(
  db: Database | Transaction,
  newTasks: readonly NewTask[],
): Promise<bigint[]> {
  if (newTasks.length === 0) return [];
  const statement = ENQUEUE({ newTasks: JSON.stringify(newTasks) });
  const rows = await db.execute<{ id: string }>(statement);
  return rows.map(({ id }) => BigInt(id));
}
