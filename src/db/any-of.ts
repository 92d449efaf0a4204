import { type Column, type SQL, sql } from 'drizzle-orm';

/**
 * Whether the column is one of these ids. One parameter however many there are: `IN` has one for
 * each, hence another text, another plan and another prepared statement for each length.
 */
export const anyOf = (column: Column, ids: readonly bigint[]): SQL =>
  sql`${column} = any(${`{${ids.join(',')}}`}::bigint[])`;
