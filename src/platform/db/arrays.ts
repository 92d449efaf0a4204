import { type Column, type SQL, sql } from 'drizzle-orm';
import { arrayOf } from './array-text.ts';

/**
 * Makes the condition that the column holds one of these ids. All ids together are one parameter.
 * `IN` takes one parameter for each id. With `IN`, a different number of ids would need a different
 * text, plan and prepared statement.
 */
export const anyOf = (column: Column, ids: readonly bigint[]): SQL =>
  sql`${column} = any(${arrayOf(ids)}::bigint[])`;

/**
 * A placeholder of a compiled statement for the text of an array. PostgreSQL cannot see through the
 * subquery, so it expects the same number of elements in every array, and keeps one plan after five
 * executions. A plain parameter shows its length. A plan for one element looks cheaper, so PostgreSQL
 * planned the statements of a lone claim at each execution.
 */
export const arrayIn = (name: string, type: 'bigint' | 'integer'): SQL =>
  sql`(select ${sql.placeholder(name)}::${sql.raw(type)}[])::${sql.raw(type)}[]`;
