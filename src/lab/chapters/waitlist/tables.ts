import { bigint, bigserial, pgSchema } from 'drizzle-orm/pg-core';
import { inProject } from '../../../platform/process/project.ts';

/** The folder of the migrations that make these tables. */
export const migrations = inProject('drizzle/lab/waitlist');

export const lab = pgSchema('lab_waitlist');

/**
 * The recruiters who wait for a job, in the order of their ids. A recruiter who gets an offer leaves
 * this table. Production has another table.
 */
export const waitlist = lab.table('waitlist', {
  id: bigserial({ mode: 'bigint' }).primaryKey(),
  jobId: bigint('job_id', { mode: 'bigint' }).notNull(),
  recruiterId: bigint('recruiter_id', { mode: 'bigint' }).notNull(),
});
