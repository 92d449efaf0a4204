import { sql } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { NOW } from '../db/clock.ts';
import { compiled } from '../db/compiled.ts';
import { MAY_HAVE_EFFECTS } from '../db/installation.ts';
import { LEASE_END } from './held.ts';
import { pausedUntil } from './lanes.ts';
import { taskAttempts, tasks } from './tables.ts';

/** What a worker wants to claim. */
export interface Wanted {
  workerId: bigint;
  /** The kinds that the worker knows. Tasks of other kinds stay for other workers. */
  kinds: readonly string[];
  /** The most tasks to claim. */
  count: number;
  /** The most tasks of one lane that the worker runs at the same time. */
  perLane: number;
  /** How many tasks of each lane the worker runs now. */
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
  /** How long the task was due before the claim. Undefined if the attempt before was lost. */
  waitedSeconds: number | undefined;
}

const AFTER_LANE = sql.placeholder('afterLane');

/**
 * The lanes with unfinished tasks, in turn. The lane `afterLane` comes last. Each step jumps to the next
 * lane in the index, so a lane costs one look into the index, however many tasks the lane has. The
 * claim takes no more steps when it has enough tasks.
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

/** No attempt holds the task: the task waits, or the lease of its last attempt has ended. */
const IS_FREE = sql`(lease_until is null or lease_until <= ${NOW})`;

/** How many more tasks of the lane the worker may run. */
const PLACES_IN_LANE = sql`
  greatest(0, ${sql.placeholder('perLane')}::int - coalesce(
    (${sql.placeholder('running')}::text::jsonb ->> lanes.lane)::int, 0))`;

const LANE_PAUSED_UNTIL = pausedUntil(sql`lanes.lane`);

/**
 * The lane has a task that may be due, and the lane does not pause. The first row of `lanes` has no
 * time, so the condition is not true there. If this lane has tasks, its second row comes last.
 */
const IS_LANE_DUE = sql`
  lanes.run_at <= ${NOW} and coalesce(${LANE_PAUSED_UNTIL} <= ${NOW}, true)`;

// THE LOCK: this claim locks each task. Other claims skip locked tasks and wait for nobody. Another
// claim may have taken a task after our snapshot. PostgreSQL then checks the conditions again on the
// newest row, and IS_FREE is false there. So no two claims get the same task.
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
 * Records the attempts whose leases have ended. If the attempt has a row already, the row stays. One
 * wrong row in the history must not stop every claim.
 */
const RECORD_LOST = sql`
  lost as (
    insert into ${taskAttempts} (task_id, attempt, worker_id, began_at, ended_at, ended)
    select id, attempt, worker_id, began_at, ${NOW}, 'lost' from due where lease_until is not null
    on conflict do nothing
  )`;

/** A task that was lost in its last attempt is not claimed again. */
const BURY_LOST = sql`
  dead as (
    update ${tasks} set finished_at = ${NOW}, ended = 'dead', lease_until = null,
      error = 'the worker of the last attempt was lost'
    where id = any(array(select id from due where attempts_left <= 0))
  )`;

// THE LEASE: until its end, no other claim takes these tasks, and after its end any claim may. The
// attempt is counted here, and not when it ends. So an attempt that kills its worker is counted too.
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
 * Claims due tasks of the lanes in turn. Within a lane, the task that has been due for longest comes
 * first. One statement does everything, and never waits for another worker.
 *
 * The tasks of dead workers need no other way back: a task whose lease has ended is due again.
 */
export async function claimTasks(db: Database, wanted: Wanted): Promise<ClaimedTask[]> {
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
