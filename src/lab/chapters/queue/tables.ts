import { sql } from 'drizzle-orm';
import { bigserial, integer, pgSchema, text, timestamp } from 'drizzle-orm/pg-core';
import { inProject } from '../../../platform/process/project.ts';

/** The folder of the migrations that make these tables. */
export const migrations = inProject('drizzle/lab/queue');

export const lab = pgSchema('lab_queue');

/** The tasks of the strategies. Production has another table. */
export const tasks = lab.table('tasks', {
  id: integer().primaryKey(),
  status: text().$type<'due' | 'running' | 'done' | 'failed'>().notNull().default('due'),
  /** The name of the worker that holds or held the task. */
  worker: text(),
  /** The number of the newest attempt, or 0. A claim with a lease usually raises the number. */
  attempt: integer().notNull().default(0),
  leaseUntil: timestamp('lease_until', { withTimezone: true }),
});

/** Mails that a transaction has written. We assume that each mail is later sent exactly once. */
export const outbox = lab.table('outbox', {
  id: bigserial({ mode: 'number' }).primaryKey(),
  taskId: integer('task_id').notNull(),
});

/**
 * The nodes, which are computers with workers. A node counts as dead if nobody has seen it for too
 * long.
 */
export const nodes = lab.table('nodes', {
  name: text().primaryKey(),
  seenUntil: timestamp('seen_until', { withTimezone: true }).notNull(),
});

/** The permits for running tasks. The table has one row, with one free permit at the beginning. */
export const permits = lab.table('permits', {
  id: integer().primaryKey(),
  free: integer().notNull(),
});

/**
 * A row for each time that a task was finished. A trigger inserts the rows, so strategies need no
 * code for this.
 */
export const finishes = lab.table('finishes', {
  id: bigserial({ mode: 'number' }).primaryKey(),
  taskId: integer('task_id').notNull(),
  /** The process id of the backend that has finished the task. */
  pid: integer().notNull().default(sql`pg_backend_pid()`),
});
