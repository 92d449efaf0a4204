import type { Rows, Session } from '../../platform/db/session.ts';

/** The rows of each table as texts, by the name of the table. */
export type Tables = ReadonlyMap<string, readonly string[]>;

const run = (admin: Session, text: string): Promise<Rows> =>
  admin.run({ text, params: [], asArrays: false });

/**
 * The condition for columns whose values differ in each run. We compare only whether such a column
 * has a value.
 */
const OF_RUN = "(data_type ~ '^timestamp|^date$|^time|^uuid$|^xid' or column_name = 'pid')";

/**
 * Returns a query for each table. The query reads the rows without the values that differ in each
 * run.
 */
const QUERIES = `
  select table_schema || '.' || table_name as name,
    format('select %L as "table", row_to_json(r)::text as row from (select %s from %I.%I) r',
      table_schema || '.' || table_name,
      string_agg(format(case when ${OF_RUN} then '%1$I is not null as %1$I' else '%I' end,
        column_name), ', ' order by ordinal_position),
      table_schema, table_name) as query
  from information_schema.columns join information_schema.tables using (table_schema, table_name)
  where table_type = 'BASE TABLE'
    and table_schema !~ '^pg_|^information_schema$|^drizzle$|^lab_time$'
  group by table_schema, table_name order by 1`;

/**
 * Reads all tables of the database, except those of PostgreSQL, of the migrations and of the clock.
 */
export class TableReader {
  readonly #admin: Session;
  readonly #queries: ReadonlyMap<string, string>;

  private constructor(admin: Session, queries: ReadonlyMap<string, string>) {
    this.#admin = admin;
    this.#queries = queries;
  }

  static async open(admin: Session): Promise<TableReader> {
    const rows = (await run(admin, QUERIES)) as unknown as { name: string; query: string }[];
    return new TableReader(admin, new Map(rows.map(({ name, query }) => [name, query])));
  }

  get names(): string[] {
    return [...this.#queries.keys()];
  }

  async read(): Promise<Tables> {
    const rows = await run(this.#admin, this.queryOf(this.names));
    const tables = new Map<string, string[]>();
    for (const { table, row } of rows as unknown as { table: string; row: string }[])
      tables.set(table, [...(tables.get(table) ?? []), row]);
    return tables;
  }

  /**
   * Returns one query for the rows of these tables. The order of the rows is the same on every
   * server.
   */
  queryOf(names: readonly string[]): string {
    if (names.length === 0) return 'select null as "table", null as "row" where false';
    const queries = names.map((name) => this.#queries.get(name));
    return `select * from (${queries.join(' union all ')}) r order by "table", "row" collate "C"`;
  }
}
