import { fillPlaceholders, type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';

/**
 * Compiles a statement to text once. The result fills in the values of the placeholders
 * (`sql.placeholder`). Throws if a placeholder has no value.
 *
 * Use this for long statements that run often. Drizzle puts the text of a statement together at each
 * execution. For the claim of a task, this took 24 kB of the 157 kB of memory that a task needs.
 */
export function compiled<Values extends Record<string, unknown>>(
  statement: SQL,
): (values: Values) => SQL {
  const { sql: text, params } = new PgDialect().sqlToQuery(statement);
  const [first = '', ...others] = text.split(/\$\d+/);
  const rest = others.map((part) => sql.raw(part));
  return (values) => {
    const filled = fillPlaceholders(params, values);
    return sql.join([sql.raw(first), ...rest.flatMap((part, at) => [sql.param(filled[at]), part])]);
  };
}
