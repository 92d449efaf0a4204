import { sql } from 'drizzle-orm';
import {
  bigint,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { id, instant } from '../../platform/db/columns.ts';

/** The end of a task. A task without an end is waiting or running. */
export type TaskEnd = 'done' | 'dead' | 'cancelled';

/**
 * The tasks. The UPDATE that begins an attempt changes only columns that are in no index
 * (`attempt`, `attempts_left`, `worker_id`, `began_at`, `lease_until`). So this UPDATE writes to no
 * index (HOT).
 */
export const tasks = pgTable(
  'tasks',
  {
    id: id(),
    /** The name of the kind. Only workers that know the kind claim the task. */
    kind: text().notNull(),
    /**
     * The lane of the task. Workers take tasks from the lanes in turn. So a lane with many tasks
     * does not delay the tasks of other lanes.
     */
    lane: text().notNull().default(''),
    payload: jsonb().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** The task is due from this time on. */
    runAt: instant('run_at').notNull().defaultNow(),
    /** The number of attempts that have begun. Each claim of the task adds 1. */
    attempt: integer().notNull().default(0),
    /** The number of further attempts that are allowed. */
    attemptsLeft: integer('attempts_left').notNull(),
    /** The worker of the latest attempt. */
    workerId: bigint('worker_id', { mode: 'bigint' }),
    /** The beginning of the latest attempt. */
    beganAt: instant('began_at'),
    /** The end of the lease. Null if no worker holds the task. */
    leaseUntil: instant('lease_until'),
    finishedAt: instant('finished_at'),
    /** Null until the task has finished. */
    ended: text().$type<TaskEnd>(),
    /**
     * The error of the latest failed attempt. If the worker of the last allowed attempt was lost, a
     * claim writes a text of its own here. `npm run restored -- --forget` also writes a text here.
     */
    error: text(),
  },
  (table) => [
    index('tasks_unfinished_idx')
      .on(table.lane, table.runAt, table.id)
      .where(sql`${table.finishedAt} is null`),
    index('tasks_finished_idx')
      .on(table.ended, table.finishedAt)
      .where(sql`${table.finishedAt} is not null`),
  ],
);

/** The pauses of lanes. The row of a pause may stay here after the end of the pause. */
export const pausedLanes = pgTable('paused_lanes', {
  lane: text().primaryKey(),
  /** No task of the lane is claimed before this time. */
  until: instant('until').notNull(),
});

/** The ways in which an attempt can end without doing its task. */
export const attemptEnds = ['failed', 'lost', 'given back', 'cancelled'] as const;
export type AttemptEnd = (typeof attemptEnds)[number];

/**
 * The attempts that ended without doing their tasks. The row of a task records the running attempt
 * and the successful attempt. So a task that succeeds in its first attempt has no row here.
 */
export const taskAttempts = pgTable(
  'task_attempts',
  {
    taskId: bigint('task_id', { mode: 'bigint' }).notNull(),
    attempt: integer().notNull(),
    workerId: bigint('worker_id', { mode: 'bigint' }).notNull(),
    beganAt: instant('began_at').notNull(),
    endedAt: instant('ended_at').notNull(),
    ended: text().$type<AttemptEnd>().notNull(),
    error: text(),
  },
  (table) => [primaryKey({ columns: [table.taskId, table.attempt] })],
);

/** The workers. Each start of a worker adds a row. */
export const workers = pgTable(
  'workers',
  {
    id: id(),
    /** The name for people. Two living workers never have the same name. */
    name: text().notNull(),
    version: text().notNull(),
    /** The names of the kinds that the worker knows. */
    kinds: jsonb().$type<string[]>().notNull().default([]),
    startedAt: instant('started_at').notNull().defaultNow(),
    /** The time of the latest heartbeat. */
    seenAt: instant('seen_at').notNull().defaultNow(),
    /** The worker counts as dead after this time, unless another heartbeat comes. */
    leaseUntil: instant('lease_until').notNull(),
    stoppedAt: instant('stopped_at'),
    /**
     * The number of worker slots. The worker may run more tasks than slots at the same time,
     * because slow attempts need no slot.
     */
    places: integer().notNull(),
    /** The ids of the tasks that the worker held at its latest heartbeat, as texts. */
    holds: jsonb().$type<string[]>().notNull().default([]),
  },
  (table) => [
    uniqueIndex('workers_living_name_idx').on(table.name).where(sql`${table.stoppedAt} is null`),
  ],
);
