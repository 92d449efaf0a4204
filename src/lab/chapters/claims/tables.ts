import { bigint, integer, pgSchema, primaryKey, timestamp } from 'drizzle-orm/pg-core';
import { inProject } from '../../../platform/process/project.ts';
import { jobs } from '../../../service/database/schema.ts';

/** The folder of the migrations that make these tables. */
export const migrations = inProject('drizzle/lab/claims');

/** The schema of the tables that only some strategies need. Production has none of these tables. */
export const lab = pgSchema('lab_claims');

const jobId = () =>
  bigint('job_id', { mode: 'bigint' })
    .notNull()
    .references(() => jobs.id, { onDelete: 'cascade' });
const recruiterId = () => bigint('recruiter_id', { mode: 'bigint' });

/** A row for each job: its capacity, the number of its claims, and a version to compare. */
export const counters = lab.table('counters', {
  jobId: jobId().primaryKey(),
  capacity: integer().notNull(),
  claimed: integer().notNull().default(0),
  version: integer().notNull().default(0),
});

/** A row for each slot. The slot is free while the row has no recruiter. */
export const slots = lab.table(
  'slots',
  { jobId: jobId(), slot: integer().notNull(), recruiterId: recruiterId() },
  (table) => [primaryKey({ columns: [table.jobId, table.slot] })],
);

/** A row for each taken slot. The primary key makes sure that each slot is taken only once. */
export const takenSlots = lab.table(
  'taken_slots',
  { jobId: jobId(), slot: integer().notNull(), recruiterId: recruiterId().notNull() },
  (table) => [primaryKey({ columns: [table.jobId, table.slot] })],
);

/** A row for each job: its holder, the end of the lease, and a token that grows with each lease. */
export const leases = lab.table('leases', {
  jobId: jobId().primaryKey(),
  holder: bigint({ mode: 'bigint' }),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull().defaultNow(),
  token: integer().notNull().default(0),
});
