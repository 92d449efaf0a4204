import { sql } from 'drizzle-orm';
import {
  bigint,
  customType,
  index,
  integer,
  pgTable,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core';

/** The kinds of events about a claim. A recruiter gets these events of the recruiter's own claims. */
export const claimEventKinds = [
  'claimed',
  'released',
  'expired',
  'renewed',
  // An offer is a claim with a lease. `lapsed` is the end of the lease of an offer.
  'offered',
  'accepted',
  'declined',
  'lapsed',
] as const;
/**
 * All kinds of events. `posted`, `changed` and `removed` are about a job, `resized` is about its
 * capacity, and `joined` and `left` are about its line.
 */
export const eventKinds = [
  'posted',
  'changed',
  'removed',
  ...claimEventKinds,
  'joined',
  'left',
  'resized',
] as const;
export type EventKind = (typeof eventKinds)[number];

const xid8 = customType<{ data: string }>({ dataType: () => 'xid8' });

/**
 * The history of the jobs. Triggers on `jobs` and `job_claims` append the events, in the
 * transaction that makes the change. So no change is forgotten, not even a change by plain SQL. The
 * functions of the triggers are `append_job_events` in drizzle/0008, and `append_claim_events`,
 * `append_renewed` and `append_line_events` in drizzle/0014. The INSERTs of claims/queries.ts and
 * claims/line.ts append the events of their claims themselves, because they know already what the
 * trigger must find out.
 */
export const events = pgTable(
  'events',
  {
    id: bigint({ mode: 'bigint' }).primaryKey().generatedByDefaultAsIdentity(),
    /** There is no foreign key, because the history outlives its job. */
    jobId: bigint('job_id', { mode: 'bigint' }).notNull(),
    companyId: bigint('company_id', { mode: 'bigint' }).notNull(),
    /**
     * The sequence number of the event among the job's events. The first event has the number 1.
     */
    number: integer().notNull(),
    kind: text().$type<EventKind>().notNull(),
    at: timestamp({ withTimezone: true }).notNull().default(sql`statement_timestamp()`),
    /** The claim, for the kinds about a claim. */
    claimId: bigint('claim_id', { mode: 'bigint' }),
    recruiterId: bigint('recruiter_id', { mode: 'bigint' }),
    /** The end of the claim's lease. Null for a claim without a lease. */
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    /** The job's role, capacity and number of claims after the event. */
    role: text().notNull(),
    capacity: integer().notNull(),
    claimed: integer().notNull(),
    /**
     * How many recruiters waited for the job after the event. Null if the writer did not know about
     * lines: a server of the version before drizzle/0014.
     */
    waiting: integer(),
    /** The transaction of the event. Readers use its id to find events that were committed late. */
    xid: xid8().notNull().default(sql`pg_current_xact_id()`),
  },
  (table) => [
    unique('events_job_id_number_key').on(table.jobId, table.number),
    index('events_xid_idx').on(table.xid),
  ],
);
