import { sql } from 'drizzle-orm';
import type { Database } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { compiled } from '../../platform/db/compiled.ts';
import { MAY_HAVE_EFFECTS } from '../database/installation.ts';
import { LEASE_END } from './held.ts';
import { pausedUntil } from './lanes.ts';
import { taskAttempts, tasks } from './tables.ts';

/** The tasks that a worker wants to claim. */
export interface WantedTasks {
  workerId: bigint;
  /** The kinds that the worker knows. Tasks of other kinds stay for other workers. */
  kinds: readonly string[];
  /** The maximum number of tasks to claim. */
  count: number;
  /** The maximum number of tasks of one lane that the worker runs at the same time. */
  perLane: number;
  /** The number of tasks of each lane that the worker runs now. */
  running: ReadonlyMap<string, number>;
  /** The claim begins with the lane after this lane. */
  afterLane: string;
}

export interface ClaimedTask {
  id: bigint;
  kind: string;
  lane: string;
  payload: unknown;
  attempt: number;
  attemptsLeft: number;
  /** How long the task was due before the claim. Undefined if the previous attempt was lost. */
  waitedSeconds: number | undefined;
}

const AFTER_LANE = sql.placeholder('afterLane');

/**
 * Lists the lanes with unfinished tasks in the order of their names. The list begins after the lane
 * `afterLane`, and this lane comes last. Each step jumps to the next lane in the index. So a lane
 * costs one read of the index, even if the lane has many tasks. The claim stops when it has enough
 * tasks.
 */
const LANES_IN_TURN = sql`
  lanes (round, lane, run_at) as (
    select 0, ${AFTER_LANE}::text, null::timestamptz
    union all
    select next.* from lanes cross join lateral (
      (select lanes.round, lane, run_at from ${tasks}
      where finished_at is null and lane > lanes.lane and (lanes.round = 0 or lane <= ${AFTER_LANE})
      order by lane, run_at limit 1)
      union all
      (select 1, lane, run_at from ${tasks}
      where finished_at is null and lane <= ${AFTER_LANE} and lanes.round = 0
      order by lane, run_at limit 1)
      limit 1
    ) as next
  )`;

/**
 * True if no attempt holds the task: the task waits, or the lease of the latest attempt has ended.
 */
const IS_FREE = sql`(lease_until is null or lease_until <= ${NOW})`;

/** Computes how many more tasks of the lane the worker may run. */
const PLACES_IN_LANE = sql`
  greatest(0, ${sql.placeholder('perLane')}::int - coalesce(
    (${sql.placeholder('running')}::text::jsonb ->> lanes.lane)::int, 0))`;

const LANE_PAUSED_UNTIL = pausedUntil(sql`lanes.lane`);

/**
 * True if the lane has a task that may be due, and the lane does not pause. The first row of
 * `lanes` is the lane `afterLane` without a time, so the condition skips this row. If this lane has
 * tasks, a second row of the lane comes last.
 */
const IS_LANE_DUE = sql`
  lanes.run_at <= ${NOW} and coalesce(${LANE_PAUSED_UNTIL} <= ${NOW}, true)`;

// THE LOCK: this claim locks each task. Claims skip tasks that other claims have locked, and never
// wait. Another claim may have taken a task after our snapshot. PostgreSQL then checks the
// conditions again on the newest version of the row, where IS_FREE is false. So no two claims get
// the same task.
const LOCK_DUE_TASKS = sql`
  due as (
    select row_number() over () as turn, of_lane.*
    from lanes cross join lateral (
      select id, kind, tasks.lane, payload, attempt, attempts_left, worker_id, began_at,
        lease_until, greatest(run_at, ${LANE_PAUSED_UNTIL}) as due_at
      from ${tasks}
      where finished_at is null and lane = lanes.lane and run_at <= ${NOW} and ${IS_FREE}
        and kind = any(array(
          select jsonb_array_elements_text(${sql.placeholder('kinds')}::text::jsonb)))
      order by run_at, id limit ${PLACES_IN_LANE}
      for update skip locked
    ) as of_lane
    where ${IS_LANE_DUE} and ${MAY_HAVE_EFFECTS}
    limit ${sql.placeholder('count')}
  )`;

/**
 * Records the attempts whose leases have ended. If an attempt already has a row, the old row stays.
 * So a wrong row in the history cannot make all claims fail.
 */
const RECORD_LOST = sql`
  lost as (
    insert into ${taskAttempts} (task_id, attempt, worker_id, began_at, ended_at, ended)
    select id, attempt, worker_id, began_at, ${NOW}, 'lost' from due where lease_until is not null
    on conflict do nothing
  )`;

/** Marks a task as dead if its last allowed attempt was lost. No claim takes a dead task. */
const BURY_LOST = sql`
  dead as (
    update ${tasks} set finished_at = ${NOW}, ended = 'dead', lease_until = null,
      error = 'the worker of the last attempt was lost'
    where id = any(array(select id from due where attempts_left <= 0))
  )`;

// THE LEASE: no other claim takes these tasks until the lease ends. After its end, any claim can
// take the tasks. An attempt is counted when it begins, so an attempt that kills its worker counts
// too.
const BEGIN_ATTEMPTS = sql`
  claimed as (
    update ${tasks} set attempt = attempt + 1, attempts_left = attempts_left - 1,
      worker_id = ${sql.placeholder('workerId')}, began_at = ${NOW}, lease_until = ${LEASE_END}
    where id = any(array(select id from due where attempts_left > 0))
  )`;

const CLAIM = compiled(sql`
  with recursive ${LANES_IN_TURN}, ${LOCK_DUE_TASKS}, ${RECORD_LOST}, ${BURY_LOST}, ${BEGIN_ATTEMPTS}
  select id, kind, lane, payload, attempt + 1 as attempt, attempts_left - 1 as attempts_left,
    extract(epoch from ${NOW} - due_at)::float as waited, lease_until is not null as was_lost
  from due where attempts_left > 0 order by turn`);

/**
 * Claims due tasks of the lanes in turn. Within a lane, the task that has been due for longest
 * comes first. A claim is one statement, and never waits for another worker.
 *
 * The tasks of dead workers need no special code, because a claim also takes a task whose lease has
 * ended.
 */
export async function claimTasks(db: Database, wanted: WantedTasks): Promise<ClaimedTask[]> {
  const { workerId, kinds, count, perLane, running, afterLane } = wanted;
  const statement = CLAIM({
    workerId,
    kinds: JSON.stringify(kinds),
    count,
    perLane,
    running: JSON.stringify(Object.fromEntries(running)),
    afterLane,
  });
  const rows = await db.execute<Row>(statement);
  return rows.map((row) => ({
    id: BigInt(row.id),
    kind: row.kind,
    lane: row.lane,
    payload: row.payload,
    attempt: row.attempt,
    attemptsLeft: row.attempts_left,
    waitedSeconds: row.was_lost ? undefined : row.waited,
  }));
}

/**
 * Selects a row if any task is unfinished, even if the task is not due. Behind a pooler in
 * transaction mode, PostgreSQL plans each statement at each execution. Planning this question takes
 * much less time than planning the claim.
 *
 * With ORDER BY, PostgreSQL reads the first row of the index. Otherwise it might read all finished
 * tasks, because with old statistics it expects to find an unfinished task soon.
 */
export const ANY_UNFINISHED = sql`
  select true from ${tasks} where finished_at is null order by lane, run_at limit 1`;

/** A row as the driver returns it. */
type Row = {
  id: string;
  kind: string;
  lane: string;
  payload: unknown;
  attempt: number;
  attempts_left: number;
  waited: number;
  was_lost: boolean;
};
