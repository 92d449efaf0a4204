import { sql } from 'drizzle-orm';
import { bigint, check, integer, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';
import { DEFAULT_CAPACITY } from '../claims/rules.ts';

/** Ids are 64 bits wide, so they are `bigint` in the code: a `number` would round the large ones. */
const id = () => bigint({ mode: 'bigint' }).primaryKey().generatedByDefaultAsIdentity();
const createdAt = () => timestamp('created_at', { withTimezone: true }).notNull().defaultNow();

export const companies = pgTable('companies', {
  id: id(),
  name: text().notNull(),
  createdAt: createdAt(),
});

export const jobs = pgTable(
  'jobs',
  {
    id: id(),
    companyId: bigint('company_id', { mode: 'bigint' })
      .notNull()
      .references(() => companies.id),
    role: text().notNull(),
    capacity: integer().notNull().default(DEFAULT_CAPACITY),
    createdAt: createdAt(),
  },
  (table) => [check('jobs_capacity_positive', sql`${table.capacity} > 0`)],
);

export const recruiters = pgTable('recruiters', {
  id: id(),
  name: text().notNull(),
  createdAt: createdAt(),
});

/** The names of the constraints that turn a claim down; `claims/settle.ts` answers by them. */
export const HELD_ONCE = 'job_claims_job_id_recruiter_id_key';
export const CLAIMED_JOB_EXISTS = 'job_claims_job_id_jobs_id_fk';
export const CLAIMING_RECRUITER_EXISTS = 'job_claims_recruiter_id_recruiters_id_fk';

export const jobClaims = pgTable(
  'job_claims',
  {
    id: id(),
    jobId: bigint('job_id', { mode: 'bigint' })
      .notNull()
      .references(() => jobs.id),
    recruiterId: bigint('recruiter_id', { mode: 'bigint' })
      .notNull()
      .references(() => recruiters.id),
    createdAt: createdAt(),
  },
  // Its index begins with job_id, so it also serves "who holds this job".
  (table) => [unique(HELD_ONCE).on(table.jobId, table.recruiterId)],
);
