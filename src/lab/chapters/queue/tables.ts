import { sql } from 'drizzle-orm';
import { bigserial, integer, pgSchema, text, timestamp } from 'drizzle-orm/pg-core';
import { inProject } from '../../../process/project.ts';

/** The migrations that make these tables. */
export const migrations = inProject('drizzle/lab/queue');

export const lab = pgSchema('lab_queue');

/** The tasks of the strategies. Production has a table of its own. */
export const tasks = lab.table('tasks', {
  id: integer().primaryKey(),
  status: text().$type<'due' | 'running' | 'done' | 'failed'>().notNull().default('due'),
  /** The name of the worker that holds or held the task. */
  worker: text(),
  /** The running number of the attempt. Each claim with a lease has a higher number. */
  attempt: integer().notNull().default(0),
  leaseUntil: timestamp('lease_until', { withTimezone: true }),
});

/** Mails that a transaction has written. They are sent later, each once. */
export const outbox = lab.table('outbox', {
  id: bigserial({ mode: 'number' }).primaryKey(),
  taskId: integer('task_id').notNull(),
});

/** The computers with workers. A node that is not seen for too long counts as dead. */
export const nodes = lab.table('nodes', {
  name: text().primaryKey(),
  seenUntil: timestamp('seen_until', { withTimezone: true }).notNull(),
});

/** How many more tasks may run at once. One row, with one permit at the beginning. */
export const permits = lab.table('permits', {
  id: integer().primaryKey(),
  free: integer().notNull(),
});

/** How often a task was finished. A trigger writes it, so no strategy needs to know. */
export const finishes = lab.table('finishes', {
  id: bigserial({ mode: 'number' }).primaryKey(),
  taskId: integer('task_id').notNull(),
  /** The process id of the backend that has written the end. */
  pid: integer().notNull().default(sql`pg_backend_pid()`),
});
