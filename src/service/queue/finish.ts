import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { compiled } from '../../platform/db/compiled.ts';
import { byTask, fieldOfHold, HELD, type Hold, stillHeld } from './held.ts';
import { taskAttempts, tasks } from './tables.ts';

export interface Failure extends Hold {
  error: string;
  /** The pause before the next attempt. Undefined if no further attempt follows. */
  pauseMs: number | undefined;
}

const FINISH_DONE = compiled(sql`
  with ${HELD}
  update ${tasks} set finished_at = ${NOW}, ended = 'done', lease_until = null
  where ${stillHeld}
  returning id`);

/**
 * Marks the tasks of these attempts as done, if the attempts still hold them. Returns the ids of
 * the tasks that are marked now.
 */
export async function finishDone(
  db: Database | Transaction,
  holds: readonly Hold[],
): Promise<Set<bigint>> {
  const rows = await db.execute<{ id: string }>(FINISH_DONE(byTask(holds)));
  return idsOf(rows);
}

const PAUSE_MS = fieldOfHold('pauseMs');

const FINISH_FAILED = compiled(sql`
  with ${HELD},
  failed as (
    update ${tasks} set lease_until = null, error = ${fieldOfHold('error')},
      run_at = coalesce(${NOW} + ${PAUSE_MS}::float * interval '1 ms', run_at),
      finished_at = case when ${PAUSE_MS} is null then ${NOW} end,
      ended = case when ${PAUSE_MS} is null then 'dead' end
    where ${stillHeld}
    returning id, attempt, worker_id, began_at, error
  )
  insert into ${taskAttempts} (task_id, attempt, worker_id, began_at, ended_at, ended, error)
  select id, attempt, worker_id, began_at, ${NOW}, 'failed', error from failed
  returning task_id as id`);

/**
 * Writes the failures of these attempts, if the attempts still hold their tasks. A task with a
 * pause waits for its next attempt. The other tasks are dead. Returns the ids of the changed tasks.
 */
export async function finishFailed(
  db: Database | Transaction,
  failures: readonly Failure[],
): Promise<Set<bigint>> {
  const rows = await db.execute<{ id: string }>(FINISH_FAILED(byTask(failures)));
  return idsOf(rows);
}

const GIVE_BACK = compiled(sql`
  with ${HELD},
  given as (
    update ${tasks} set lease_until = null, attempts_left = attempts_left + 1
    where ${stillHeld}
    returning id, attempt, worker_id, began_at
  )
  insert into ${taskAttempts} (task_id, attempt, worker_id, began_at, ended_at, ended)
  select id, attempt, worker_id, began_at, ${NOW}, 'given back' from given`);

/**
 * Gives tasks back, so that other workers need not wait for the ends of the leases. An attempt that
 * is given back does not count toward the allowed attempts.
 */
export async function giveBack(db: Database, holds: readonly Hold[]): Promise<void> {
  if (holds.length === 0) return;
  await db.execute(GIVE_BACK(byTask(holds)));
}

const idsOf = (rows: { id: string }[]) => new Set(rows.map(({ id }) => BigInt(id)));
