import { bigserial, integer, pgSchema, text, timestamp } from 'drizzle-orm/pg-core';
import { inProject } from '../../../platform/process/project.ts';

/** The folder of the migrations that make these tables. */
export const migrations = inProject('drizzle/lab/retries');

export const lab = pgSchema('lab_retries');

/** The keys of the strategies. Production has another table. */
export const keys = lab.table('keys', {
  key: text().primaryKey(),
  /** `pending`: a request with this key has begun. `done`: the receipt is here. */
  status: text().$type<'pending' | 'done'>().notNull().default('pending'),
  receipt: integer(),
  leaseUntil: timestamp('lease_until', { withTimezone: true }),
});

/** Charges inside our own database. A rollback takes such a charge back. */
export const charges = lab.table('charges', {
  receipt: bigserial({ mode: 'number' }).primaryKey(),
  key: text().notNull(),
});
