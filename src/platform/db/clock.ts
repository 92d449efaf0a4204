import { sql } from 'drizzle-orm';

/**
 * The moment at which the statement began, by the database's clock. The clocks of our machines differ.
 * `now()` is too early. It is the time at which the transaction began, perhaps long before the
 * transaction got the lock.
 */
export const NOW = sql`statement_timestamp()`;
