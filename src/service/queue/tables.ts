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
import { id, instant } from '../db/columns.ts';

/** The end of a task. A task without an end is waiting or running. */
export type TaskEnd = 'done' | 'dead' | 'cancelled';

/**
 * The tasks. No index covers a column that a claim of a task changes (`attempt`, `attempts_left`,
 * `worker_id`, `began_at`, `lease_until`), so a claim writes to no index (HOT).
 */
export const tasks = pgTable(
  'tasks',
  {
    id: id(),
    /** The name of the kind. Only workers that know the kind claim the task. */
    kind: text().notNull(),
    /** Workers take tasks from the lanes in turn, so a full lane does not delay the others. */
    lane: text().notNull().default(''),
    payload: jsonb().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** The task is due from this time on. */
    runAt: instant('run_at').notNull().defaultNow(),
    /** How many attempts have begun. The claim counts the attempt. */
    attempt: integer().notNull().default(0),
    /** How many further attempts are allowed. */
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
    /** The error of the latest attempt that failed. */
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

/** The pauses of lanes. A pause that has ended may stay here. */
export const pausedLanes = pgTable('paused_lanes', {
  lane: text().primaryKey(),
  /** No task of the lane is claimed before this time. */
  until: instant('until').notNull(),
});

/** The ends of attempts that did not do their tasks. */
export const attemptEnds = ['failed', 'lost', 'given back', 'cancelled'] as const;
export type AttemptEnd = (typeof attemptEnds)[number];

/**
 * The attempts that ended and did not do their tasks. The task itself records the attempt that runs
 * and the attempt that was done, so a task that succeeds at once leaves no row here.
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
    /** How many tasks the worker may run at the same time. */
    places: integer().notNull(),
    /** The ids of the tasks that the worker held at its latest heartbeat, as texts. */
    holds: jsonb().$type<string[]>().notNull().default([]),
  },
  (table) => [
    uniqueIndex('workers_living_name_idx').on(table.name).where(sql`${table.stoppedAt} is null`),
  ],
);
