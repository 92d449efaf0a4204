import { bigint, integer, interval, pgSchema, primaryKey, timestamp } from 'drizzle-orm/pg-core';
import { jobs } from '../../../db/schema.ts';
import { inProject } from '../../../process/project.ts';

/** The migrations that make these tables. */
export const migrations = inProject('drizzle/lab/claims');

/** What some strategies need besides the claims; production's own tables stay clean of it. */
export const lab = pgSchema('lab');

const jobId = () =>
  bigint('job_id', { mode: 'bigint' })
    .notNull()
    .references(() => jobs.id, { onDelete: 'cascade' });
const recruiterId = () => bigint('recruiter_id', { mode: 'bigint' });

/** One row a job: how many of its claims there are, kept beside them; and a version to compare. */
export const counters = lab.table('counters', {
  jobId: jobId().primaryKey(),
  capacity: integer().notNull(),
  claimed: integer().notNull().default(0),
  version: integer().notNull().default(0),
});

/** One row a slot from the beginning; it is free while it has no recruiter. */
export const slots = lab.table(
  'slots',
  { jobId: jobId(), slot: integer().notNull(), recruiterId: recruiterId() },
  (table) => [primaryKey({ columns: [table.jobId, table.slot] })],
);

/** One row a slot that is taken: the primary key lets nobody else have the same one. */
export const takenSlots = lab.table(
  'taken_slots',
  { jobId: jobId(), slot: integer().notNull(), recruiterId: recruiterId().notNull() },
  (table) => [primaryKey({ columns: [table.jobId, table.slot] })],
);

/** One row a job: who may work on it, until when, and a token that grows with each new lease. */
export const leases = lab.table('leases', {
  jobId: jobId().primaryKey(),
  holder: bigint({ mode: 'bigint' }),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull().defaultNow(),
  token: integer().notNull().default(0),
});

/** How far the lab's time is ahead of the real one: empty, except where a scenario makes it pass. */
export const timePassed = lab.table('time_passed', { ahead: interval().notNull() });
