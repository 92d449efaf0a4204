import { eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { NOW } from '../../platform/db/clock.ts';
import { id, instant } from '../../platform/db/columns.ts';
import { DEFAULT_CAPACITY } from '../claims/rules.ts';

const createdAt = () => instant('created_at').notNull().defaultNow();

/**
 * The facts about the database as a whole. The table has one row. The migration drizzle/0011
 * explains how `database_identity()` recognizes a restored database.
 */
export const installation = pgTable(
  'installation',
  {
    id: integer().primaryKey().default(1),
    /**
     * The time of a migration in drizzle/meta/_journal.json. A server may serve only if its newest
     * migration is at least as new as this migration.
     */
    oldestMigration: bigint('oldest_migration', { mode: 'bigint' }).notNull().default(sql`0`),
    /**
     * The identity of the database in which a worker was last alive. Null before the first worker.
     */
    identity: text(),
    /** When a worker was last alive, exact to about ten seconds. */
    aliveAt: instant('alive_at'),
    /** Tasks and webhooks have been paused since this time. Null if they are not paused. */
    pausedAt: instant('paused_at'),
  },
  (table) => [check('installation_one_row', sql`${table.id} = 1`)],
);

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
 * The words of each job's role and of its company's name. Triggers keep the words up to date. The
 * words have a table of their own. So one index covers role and company, and claims do not read the
 * words.
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

/**
 * A claim that violates one of these constraints is refused. `claims/settle.ts` recognizes the
 * constraints by name.
 */
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
    /** The end of the lease. Null for a claim without a lease. */
    expiresAt: instant('expires_at'),
  },
  (table) => [
    // The index of this constraint begins with job_id, so this index is enough to find the holders
    // of a job. The migration drizzle/0006 adds expires_at to the index. Drizzle's schema cannot
    // express this addition.
    unique(HELD_ONCE).on(table.jobId, table.recruiterId),
    index('job_claims_recruiter_id_id_idx').on(table.recruiterId, table.id),
    index('job_claims_expires_at_idx')
      .on(table.expiresAt)
      .where(sql`${table.expiresAt} is not null`),
  ],
);

/** How many recruiters may wait for a job, unless its company says otherwise. */
export const DEFAULT_LONGEST_LINE = 100;

/**
 * How long an offer lasts by default. A person needs a few minutes to see an offer, and the next in
 * line should not wait for long.
 */
export const DEFAULT_OFFER_MINUTES = 15;

/**
 * How a company wants the waitlist of a job. Most jobs have no row here, and the defaults hold for
 * them. The settings are not columns of `jobs`, because claims do not need them.
 */
export const waitlistSettings = pgTable(
  'waitlist_settings',
  {
    jobId: bigint('job_id', { mode: 'bigint' })
      .primaryKey()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    /** How many recruiters may wait. 0 closes the waitlist, and those who wait stay. */
    longest: integer().notNull().default(DEFAULT_LONGEST_LINE),
    /** How long an offer lasts. Null: as long as the setting OFFER_MINUTES says. */
    offerMinutes: integer('offer_minutes'),
    /** If true, the first in line gets a claim without being asked. */
    auto: boolean().notNull().default(false),
  },
  (table) => [
    check('waitlist_settings_longest', sql`${table.longest} >= 0`),
    check('waitlist_settings_offer_minutes', sql`${table.offerMinutes} > 0`),
  ],
);

/**
 * The line of each job: the recruiters who wait, and the recruiters who have an offer. A recruiter
 * joins under the lock of the job, so the order of the ids is the order of joining.
 *
 * A trigger removes the row of an offer when its claim is accepted, declined or lapsed. The triggers
 * are in drizzle/0014.
 */
export const waitlist = pgTable(
  'waitlist',
  {
    id: id(),
    jobId: bigint('job_id', { mode: 'bigint' })
      .notNull()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    recruiterId: bigint('recruiter_id', { mode: 'bigint' })
      .notNull()
      .references(() => recruiters.id, { onDelete: 'cascade' }),
    joinedAt: instant('joined_at').notNull().default(NOW),
    /** How long the offer will last. Null if the recruiter gets a claim without being asked. */
    offerMinutes: integer('offer_minutes').default(DEFAULT_OFFER_MINUTES),
    /** The claim that is offered. Null while the recruiter waits. */
    claimId: bigint('claim_id', { mode: 'bigint' }),
  },
  (table) => [
    unique('waitlist_job_id_recruiter_id_key').on(table.jobId, table.recruiterId),
    index('waitlist_waiting_idx').on(table.jobId, table.id).where(sql`${table.claimId} is null`),
    uniqueIndex('waitlist_claim_id_idx').on(table.claimId).where(sql`${table.claimId} is not null`),
    index('waitlist_recruiter_id_idx').on(table.recruiterId),
    check('waitlist_offer_minutes', sql`${table.offerMinutes} > 0`),
  ],
);

/** True for a claim that counts: a claim without a lease, or a claim whose lease has not ended. */
export const isLive = or(isNull(jobClaims.expiresAt), gt(jobClaims.expiresAt, NOW)) as SQL<boolean>;

/**
 * True for a claim that is an offer. The line keeps the row of an offer until the offer is accepted,
 * declined or lapsed.
 */
export const isOfferNow = sql<boolean>`exists (
  select from ${waitlist} where ${eq(waitlist.claimId, jobClaims.id)})`;
/** The same as a field of a SELECT. */
export const isOffer = isOfferNow.as('is_offer');

/** The answers to requests with an idempotency key. A repeated request gets the same answer. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** The caller who sent the key. Two callers may use the same key. */
    caller: text().notNull(),
    key: text().notNull(),
    /** The SHA-256 of the request, in hexadecimal. */
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
