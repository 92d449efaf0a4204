import { sql } from 'drizzle-orm';

/**
 * The moment at which the statement began, by the database's clock. We do not use the clocks of our
 * machines, because they differ. We do not use `now()`, because it is the time at which the
 * transaction began. A transaction may begin long before it gets the lock.
 */
export const NOW = sql`statement_timestamp()`;
