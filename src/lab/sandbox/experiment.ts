import { allowedStatements, Mistake, type Part, type TypedStatement } from './statements.ts';

/** An experiment as a person types it: texts of SQL with semicolons. */
export interface Experiment {
  /** Makes the tables and their rows, before each schedule. */
  tables: string;
  /** The statements of each session. */
  sessions: string[];
  /**
   * A query that must hold after each schedule. The query returns one row. It holds if the first
   * column is true. The result shows the other columns.
   */
  check: string;
}

/**
 * The maximum lengths of the parts in characters, and the maximum number of sessions. These limits
 * keep each run short, and let a link carry the whole experiment.
 */
export const BOUNDS = { tables: 3_000, session: 1_500, check: 1_000, sessions: 3 } as const;
export type Bounds = typeof BOUNDS;

/** The maximum numbers of statements in the tables, in each session and in the check. */
const MOST = { tables: 30, session: 12, check: 1 } as const;

/** An experiment whose statements are allowed. */
export interface ReadExperiment {
  tables: TypedStatement[];
  sessions: TypedStatement[][];
  check: TypedStatement;
}

/** Reads the typed texts. Throws a `Mistake` for the person if an experiment may not run. */
export function readExperiment({ tables, sessions, check }: Experiment): ReadExperiment {
  const [query] = partOf('check', check, MOST.check);
  if (!query)
    throw new Mistake('The check is missing: one SELECT whose first column is a boolean.');
  return {
    tables: partOf('tables', tables, MOST.tables),
    sessions: sessions.map((text, index) => {
      const found = partOf(`session ${index + 1}`, text, MOST.session);
      if (found.length === 0) throw new Mistake(`session ${index + 1} has no statement.`);
      return found;
    }),
    check: query,
  };
}

function partOf(part: Part, text: string, most: number): TypedStatement[] {
  const found = allowedStatements(part, text);
  if (found.length > most)
    throw new Mistake(
      `${part} has ${found.length} statements. ${most === 1 ? 'One is' : `${most} are`} allowed.`,
    );
  return found;
}
