import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { stateOf } from './queries.ts';
import { taskAttempts, tasks } from './tables.ts';

export type Retried =
  | { kind: 'retried' }
  | { kind: 'no-such-task' }
  /** `running` and `done`: the task was not changed, because it is running or done. */
  | { kind: 'running'; attemptsLeft: number }
  | { kind: 'done' };

/**
 * Makes a waiting, dead or cancelled task due now. A task without attempts left gets one more
 * attempt.
 */
export async function retryTask(db: Database | Transaction, id: bigint): Promise<Retried> {
  const rows = await db.execute(sql`
    update ${tasks} set run_at = ${NOW}, finished_at = null, ended = null,
      attempts_left = greatest(attempts_left, 1)
    where id = ${id} and lease_until is null and ended is distinct from 'done'
    returning 1`);
  if (rows.length > 0) return { kind: 'retried' };
  const now = await stateOf(db, id);
  if (now === undefined) return { kind: 'no-such-task' };
  if (now.status === 'done') return { kind: 'done' };
  return { kind: 'running', attemptsLeft: now.attemptsLeft };
}

export type Cancelled =
  | { kind: 'cancelled' }
  | { kind: 'no-such-task' }
  /** The task has finished already, so nothing was changed. */
  | { kind: 'finished'; ended: 'done' | 'dead' | 'cancelled' };

/**
 * Cancels a waiting or running task. A running attempt loses its task immediately, so the outcome
 * of the attempt is not written. The worker aborts the attempt at its next heartbeat.
 */
export async function cancelTask(db: Database | Transaction, id: bigint): Promise<Cancelled> {
  const rows = await db.execute(sql`
    with found as (
      select id, attempt, worker_id, began_at, lease_until from ${tasks}
      where id = ${id} and finished_at is null for no key update
    ),
    stopped as (
      insert into ${taskAttempts} (task_id, attempt, worker_id, began_at, ended_at, ended)
      select id, attempt, worker_id, began_at, ${NOW}, 'cancelled'
      from found where lease_until is not null
    )
    update ${tasks} set finished_at = ${NOW}, ended = 'cancelled', lease_until = null
    where id in (select id from found)
    returning 1`);
  if (rows.length > 0) return { kind: 'cancelled' };
  const now = await stateOf(db, id);
  if (now === undefined) return { kind: 'no-such-task' };
  return { kind: 'finished', ended: now.status as 'done' | 'dead' | 'cancelled' };
}
