import { fillPlaceholders, type Query, SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';

/**
 * A statement in the form that the driver takes. Such a statement cannot become a part of another
 * statement.
 */
class CompiledStatement extends SQL {
  readonly #query: Query;

  constructor(query: Query) {
    super([]);
    this.#query = query;
  }

  override toQuery(): Query {
    return this.#query;
  }
}

/**
 * Compiles a statement to text once. Returns a function that fills in the values of the
 * placeholders (`sql.placeholder`). The function throws if a placeholder has no value.
 *
 * Use this function for statements that run often. Otherwise Drizzle writes the text again at each
 * execution. A task of the queue took 157 kB of memory. The texts of statements took about 50 kB of
 * this memory.
 */
export function compiled<Values extends Record<string, unknown>>(
  statement: SQL,
): (values: Values) => SQL {
  const { sql: text, params } = new PgDialect().sqlToQuery(statement);
  return (values) => new CompiledStatement({ sql: text, params: fillPlaceholders(params, values) });
}

/** So few rows fit into a page or two. Reading all of them is as fast as an index. */
const FEW = 64;

/**
 * Like `compiled`, for statements on tables that may grow a thousandfold while a session lives.
 * PostgreSQL keeps the plan of a prepared statement until ANALYZE, and a plan for a tiny table reads
 * the whole table. So the text gets one more space whenever `rows` has grown fourfold, and
 * PostgreSQL plans anew. `rows` estimates how much the tables have grown.
 */
export function compiledForGrowth<Values extends Record<string, unknown>>(
  statement: SQL,
  rows: () => number,
): (values: Values) => SQL {
  const { sql: text, params } = new PgDialect().sqlToQuery(statement);
  const texts: string[] = [];
  return (values) => {
    const stage = Math.max(0, Math.ceil(Math.log2(rows() / FEW) / 2));
    texts[stage] ??= text + ' '.repeat(stage);
    return new CompiledStatement({ sql: texts[stage], params: fillPlaceholders(params, values) });
  };
}
