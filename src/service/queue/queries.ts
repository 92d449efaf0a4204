import { and, asc, desc, eq, gt, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../db/client.ts';
import { NOW } from '../db/clock.ts';
import { type AttemptEnd, pausedLanes, taskAttempts, tasks, workers } from './tables.ts';

export const taskStatuses = ['waiting', 'running', 'done', 'dead', 'cancelled'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** The status of a task, for people. A task is running while a worker has its lease. */
const status = sql<TaskStatus>`coalesce(${tasks.ended},
  case when ${tasks.leaseUntil} is null then 'waiting' else 'running' end)`;

/**
 * The condition of each status. The words are literals and not parameters. With a parameter,
 * PostgreSQL would plan for a frequent status, and would read the whole table for a rare status.
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
  /** How many attempts have begun. */
  attempt: number;
  attemptsLeft: number;
  /** The worker of the latest attempt. */
  workerId: bigint | null;
  beganAt: Date | null;
  leaseUntil: Date | null;
  finishedAt: Date | null;
  /** The error of the latest attempt that failed. */
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
 * True if only few tasks have this status, compared with the tasks that are done. An index finds
 * these few tasks. But PostgreSQL expects tasks of each status everywhere. So PostgreSQL would walk
 * along the ids, past all done tasks. We order the list by `id + 0`, which is in no index.
 */
export const isRare = (status: TaskStatus | undefined): boolean =>
  status !== undefined && status !== 'done';

export interface PastAttempt {
  attempt: number;
  workerId: bigint;
  /** The name of the worker. Null if the worker's row was cleared. */
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

/** The most ended attempts that are shown. People may retry a task any number of times. */
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
  // The attempt may fail between the two reads. Then it is listed once, as the first read saw it.
  const before = past.filter(({ attempt }) => !latest.some((each) => each.attempt <= attempt));
  return { ...rest, attempts: [...before.reverse(), ...latest] };
}

/** The task itself records the attempt that runs, and the attempt that was done. */
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
  /** `lost`: the heartbeats have ended, and no other worker has noticed yet. */
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
  /** The tasks that will be due later, or whose lane pauses. */
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
