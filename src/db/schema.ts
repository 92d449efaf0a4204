import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core';
import { DEFAULT_CAPACITY } from '../claims/rules.ts';

/** Ids are 64 bits wide, so they are `bigint` in the code: a `number` would round the large ones. */
const id = () => bigint({ mode: 'bigint' }).primaryKey().generatedByDefaultAsIdentity();
const instant = (name: string) => timestamp(name, { withTimezone: true });
const createdAt = () => instant('created_at').notNull().defaultNow();

export const companies = pgTable(
  'companies',
  {
    id: id(),
    name: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('companies_name_words_idx').using('gin', sql`words_of(${table.name})`)],
);

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
  (table) => [
    check('jobs_capacity_positive', sql`${table.capacity} > 0`),
    index('jobs_company_id_id_idx').on(table.companyId, table.id),
  ],
);

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });

/**
 * The words of each job's role and of its company's name, kept by triggers. Beside the jobs, where
 * one index serves the words of both, and where no claim reads them.
 */
export const jobWords = pgTable(
  'job_words',
  {
    jobId: bigint('job_id', { mode: 'bigint' })
      .primaryKey()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    words: tsvector().notNull(),
  },
  (table) => [index('job_words_words_idx').using('gin', table.words)],
);

export const recruiters = pgTable(
  'recruiters',
  {
    id: id(),
    name: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('recruiters_name_words_idx').using('gin', sql`words_of(${table.name})`)],
);

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
    /** When the lease ends; null for a claim that stays. */
    expiresAt: instant('expires_at'),
  },
  (table) => [
    // Its index begins with job_id, and drizzle/0006 includes expires_at in it, which Drizzle has no
    // words for: so "who holds this job" is read from it alone.
    unique(HELD_ONCE).on(table.jobId, table.recruiterId),
    index('job_claims_recruiter_id_id_idx').on(table.recruiterId, table.id),
    index('job_claims_expires_at_idx')
      .on(table.expiresAt)
      .where(sql`${table.expiresAt} is not null`),
  ],
);

/** What was answered to a request that came with an idempotency key, to answer a repeat alike. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** Whose key it is: two callers may use the same one. */
    caller: text().notNull(),
    key: text().notNull(),
    /** Of the request: SHA-256, hexadecimal. */
    fingerprint: text().notNull(),
    status: integer().notNull(),
    headers: jsonb().$type<Record<string, string>>().notNull(),
    body: text().notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.caller, table.key] }),
    index('idempotency_keys_expires_at_idx').on(table.expiresAt),
  ],
);
