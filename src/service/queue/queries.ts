import { and, asc, desc, eq, gt, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { NOW } from '../../platform/db/clock.ts';
import { type AttemptEnd, pausedLanes, taskAttempts, tasks, workers } from './tables.ts';

export const taskStatuses = ['waiting', 'running', 'done', 'dead', 'cancelled'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/**
 * The status of a task, for people. A task counts as running while `lease_until` is set, even if
 * that time is over.
 */
const status = sql<TaskStatus>`coalesce(${tasks.ended},
  case when ${tasks.leaseUntil} is null then 'waiting' else 'running' end)`;

/**
 * The condition of each status. The status is a literal in the SQL and not a parameter. With a
 * parameter, PostgreSQL would plan for a frequent status, and would read the whole table for a rare
 * status.
 */
export const hasStatus: Record<TaskStatus, SQL> = {
  waiting: sql`${tasks.finishedAt} is null and ${tasks.leaseUntil} is null`,
  running: sql`${tasks.finishedAt} is null and ${tasks.leaseUntil} is not null`,
  done: sql`${tasks.finishedAt} is not null and ${tasks.ended} = 'done'`,
  dead: sql`${tasks.finishedAt} is not null and ${tasks.ended} = 'dead'`,
  cancelled: sql`${tasks.finishedAt} is not null and ${tasks.ended} = 'cancelled'`,
};

const columns = {
  id: tasks.id,
  kind: tasks.kind,
  lane: tasks.lane,
  status: status.as('status'),
  createdAt: tasks.createdAt,
  runAt: tasks.runAt,
  attempt: tasks.attempt,
  attemptsLeft: tasks.attemptsLeft,
  workerId: tasks.workerId,
  beganAt: tasks.beganAt,
  leaseUntil: tasks.leaseUntil,
  finishedAt: tasks.finishedAt,
  error: tasks.error,
};

export interface Task {
  id: bigint;
  kind: string;
  lane: string;
  status: TaskStatus;
  createdAt: Date;
  runAt: Date;
  /** The number of attempts that have begun. */
  attempt: number;
  attemptsLeft: number;
  /** The worker of the latest attempt. */
  workerId: bigint | null;
  beganAt: Date | null;
  leaseUntil: Date | null;
  finishedAt: Date | null;
  /** The latest error. See the column `error` of the table. */
  error: string | null;
}

export interface TaskFilter {
  status?: TaskStatus | undefined;
  kind?: string | undefined;
}

/** Lists tasks in the order of their ids, after the cursor and up to the id `last`. */
export const listTasks = (
  db: Database,
  { status: wanted, kind, last }: TaskFilter & { last?: bigint | undefined },
  { cursor = 0n, limit }: { cursor?: bigint | undefined; limit: number },
): Promise<Task[]> =>
  db
    .select(columns)
    .from(tasks)
    .where(
      and(
        wanted && hasStatus[wanted],
        kind === undefined ? undefined : eq(tasks.kind, kind),
        gt(tasks.id, cursor),
        last === undefined ? undefined : lte(tasks.id, last),
      ),
    )
    .orderBy(isRare(wanted) ? sql`${tasks.id} + 0` : asc(tasks.id))
    .limit(limit);

/**
 * Returns true if few tasks have this status, compared with the done tasks. An index finds these
 * few tasks. But PostgreSQL assumes that the tasks of a status are spread evenly over all ids. So
 * PostgreSQL would read the primary key in order, past all done tasks. To prevent this plan, we
 * order the list of a rare status by `id + 0`, because no index has this expression.
 */
export const isRare = (status: TaskStatus | undefined): boolean =>
  status !== undefined && status !== 'done';

export interface PastAttempt {
  attempt: number;
  workerId: bigint;
  /** The name of the worker. Null if the cleanup has removed the worker's row. */
  workerName: string | null;
  beganAt: Date;
  /** Null while the attempt runs. */
  endedAt: Date | null;
  ended: AttemptEnd | 'done' | 'running';
  error: string | null;
}

export interface TaskWithAttempts extends Task {
  payload: unknown;
  attempts: PastAttempt[];
}

/** The maximum number of ended attempts to show, because people may retry a task without limit. */
export const MOST_ATTEMPTS = 100;

/** Finds a task and its latest attempts. The oldest of these attempts comes first. */
export async function findTask(
  db: Database | Transaction,
  id: bigint,
): Promise<TaskWithAttempts | undefined> {
  const [task] = await db
    .select({ ...columns, payload: tasks.payload, workerName: workers.name })
    .from(tasks)
    .leftJoin(workers, eq(workers.id, tasks.workerId))
    .where(eq(tasks.id, id));
  if (!task) return undefined;
  const past = await db
    .select({
      attempt: taskAttempts.attempt,
      workerId: taskAttempts.workerId,
      workerName: workers.name,
      beganAt: taskAttempts.beganAt,
      endedAt: taskAttempts.endedAt,
      ended: taskAttempts.ended,
      error: taskAttempts.error,
    })
    .from(taskAttempts)
    .leftJoin(workers, eq(workers.id, taskAttempts.workerId))
    .where(eq(taskAttempts.taskId, id))
    .orderBy(desc(taskAttempts.attempt))
    .limit(MOST_ATTEMPTS);
  const { workerName, ...rest } = task;
  const latest = latestAttempt(rest, workerName);
  // The latest attempt may fail between the two reads, so both reads may have found it. Then we
  // list the attempt once, as the first read found it.
  const before = past.filter(({ attempt }) => !latest.some((each) => each.attempt <= attempt));
  return { ...rest, attempts: [...before.reverse(), ...latest] };
}

/**
 * Returns the running or successful attempt in a list, or an empty list. Only the row of the task
 * records such an attempt.
 */
function latestAttempt(task: Task, workerName: string | null): PastAttempt[] {
  const { status, attempt, workerId, beganAt, finishedAt } = task;
  if ((status !== 'running' && status !== 'done') || workerId === null || beganAt === null)
    return [];
  return [
    { attempt, workerId, workerName, beganAt, endedAt: finishedAt, ended: status, error: null },
  ];
}

export async function stateOf(
  db: Database | Transaction,
  id: bigint,
): Promise<{ status: TaskStatus; attemptsLeft: number } | undefined> {
  const { attemptsLeft } = tasks;
  const [task] = await db.select({ status, attemptsLeft }).from(tasks).where(eq(tasks.id, id));
  return task;
}

export interface WorkerRow {
  id: bigint;
  name: string;
  version: string;
  /** The names of the kinds that the worker knows. */
  kinds: string[];
  startedAt: Date;
  seenAt: Date;
  stoppedAt: Date | null;
  /** `lost`: the lease of the worker has ended, and no worker has marked it as stopped yet. */
  status: 'living' | 'lost' | 'stopped';
  places: number;
  /** The ids of the tasks that the worker held at its latest heartbeat. */
  holds: string[];
}

/** Lists workers. The newest worker comes first. */
export const listWorkers = (
  db: Database,
  { cursor, limit }: { cursor?: bigint | undefined; limit: number },
): Promise<WorkerRow[]> =>
  db
    .select({
      id: workers.id,
      name: workers.name,
      version: workers.version,
      kinds: workers.kinds,
      startedAt: workers.startedAt,
      seenAt: workers.seenAt,
      stoppedAt: workers.stoppedAt,
      status: sql<WorkerRow['status']>`case when ${workers.stoppedAt} is not null then 'stopped'
        when ${workers.leaseUntil} <= ${NOW} then 'lost' else 'living' end`.as('status'),
      places: workers.places,
      holds: workers.holds,
    })
    .from(workers)
    .where(cursor === undefined ? undefined : lt(workers.id, cursor))
    .orderBy(desc(workers.id))
    .limit(limit);

export interface QueueFigures {
  /** The tasks that are due and that no worker holds. */
  waiting: number;
  /** The tasks that will be due later, or whose lane is paused now. */
  later: number;
  running: number;
  dead: number;
  /** How long the oldest waiting task has been due. Zero if no task waits. */
  oldestWaitingSeconds: number;
}

/** Counts the tasks for the metrics. */
export async function readQueueFigures(db: Database): Promise<QueueFigures> {
  const [row] = await db.execute<Record<keyof QueueFigures, number>>(sql`
    select
      count(*) filter (where lease_until is null and due_at <= ${NOW})::int as waiting,
      count(*) filter (where lease_until is null and due_at > ${NOW})::int as later,
      count(*) filter (where lease_until is not null)::int as running,
      (select count(*)::int from ${tasks} where finished_at is not null and ended = 'dead') as dead,
      coalesce(greatest(0, extract(epoch from ${NOW}
        - min(due_at) filter (where lease_until is null))), 0)::float as "oldestWaitingSeconds"
    from (select lease_until, greatest(run_at, until) as due_at
      from ${tasks} left join ${pausedLanes} using (lane) where finished_at is null) as unfinished`);
  return row as QueueFigures;
}
