import { codeOf, tokensOf } from '../../explorer/lexer.ts';
import type { Stage } from '../../explorer/stage.ts';

/** Selects the functions and procedures that belong neither to PostgreSQL nor to the lab's clock. */
const FUNCTIONS = `select distinct proname as name from pg_proc
  where pronamespace::regnamespace::text !~ '^(pg_|information_schema$|lab_time$)'`;

/**
 * Returns the code that PostgreSQL itself ran for these statements, such as `DO` or `claim_job()`.
 * Empty if there is none.
 */
export async function serverCodeIn(stage: Stage, texts: Iterable<string>): Promise<string[]> {
  const rows = (await stage.run(FUNCTIONS)) as unknown as { name: string }[];
  const functions = new Set(rows.map(({ name }) => name));
  const found = [...texts].flatMap((text) => [
    ...(/^(do|call)\b/i.exec(codeOf(text))?.slice(1) ?? []).map((word) => word.toUpperCase()),
    ...namesCalledIn(text)
      .filter((name) => functions.has(name))
      .map((name) => `${name}()`),
  ]);
  return [...new Set(found)].sort();
}

function namesCalledIn(text: string): string[] {
  const tokens = tokensOf(text).filter(({ kind }) => kind !== 'comment');
  return tokens.flatMap(({ text: name }, index) => {
    if (tokens[index + 1]?.text !== '(') return [];
    return name.startsWith('"') ? name.slice(1, -1) : name.toLowerCase();
  });
}
