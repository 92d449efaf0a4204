import { sql } from 'drizzle-orm';
import type { Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { type TaskEnd, taskAttempts, tasks, workers } from './tables.ts';

/** Dead tasks stay for a month, so a person can read and retry them. */
const DEAD_HOURS = 30 * 24;
const STOPPED_WORKER_HOURS = 24;

/**
 * Removes up to `limit` finished tasks with their attempts, and returns the number of removed
 * tasks. Done and cancelled tasks stay for `hours`, dead tasks for 30 days. Skips locked rows.
 */
export async function clearTasks(tx: Transaction, hours: number, limit: number): Promise<number> {
  const ages: Record<TaskEnd, number> = { done: hours, cancelled: hours, dead: DEAD_HOURS };
  let cleared = 0;
  for (const [ended, age] of Object.entries(ages))
    cleared += await clearEnded(tx, ended, age, limit - cleared);
  return cleared;
}

async function clearEnded(tx: Transaction, ended: string, hours: number, limit: number) {
  const rows = await tx.execute(sql`
    with old as (
      select id from ${tasks}
      where finished_at <= ${NOW} - make_interval(hours => ${hours})
        and finished_at is not null and ended = ${ended}
      order by finished_at limit ${limit} for update skip locked
    ),
    attempts as (
      delete from ${taskAttempts} where task_id = any(array(select id from old))
    )
    delete from ${tasks} where id = any(array(select id from old)) returning 1`);
  return rows.length;
}

/** Removes up to `limit` workers that stopped at least a day ago. Returns the number removed. */
export async function clearWorkers(tx: Transaction, limit: number): Promise<number> {
  const rows = await tx.execute(sql`
    delete from ${workers} where id = any(array(
      select id from ${workers}
      where stopped_at <= ${NOW} - make_interval(hours => ${STOPPED_WORKER_HOURS})
      limit ${limit} for update skip locked))
    returning 1`);
  return rows.length;
}
