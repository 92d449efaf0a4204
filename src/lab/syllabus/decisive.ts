/**
 * A comment such as `// THE LOCK: …` or `// THE GAP: …` stands directly above the statement that
 * makes a strategy hold or fail.
 */
const MARK = /^\s*(?:\/\/|\/\*\*) THE ([A-Z]+): /;

/** The kinds of marks above a statement that makes a strategy fail. */
export const FAILS = /^(GAP|DEADLOCK)$/;

export interface Decisive {
  /** The kind, such as `LOCK` or `GAP`. */
  what: string;
  /** The numbers of the lines of the statements, from 1. */
  lines: number[];
}

/**
 * Finds the decisive statements of a strategy in the text of a file. If the strategy itself has no
 * mark, uses the marks in code that the strategies of the file share. Returns undefined if there
 * are no marks. If the marks have several kinds, returns a kind that `FAILS` matches, such as
 * `GAP`.
 */
export function findDecisive(text: string, strategy: string): Decisive | undefined {
  const lines = text.split('\n');
  const strategies = strategiesIn(lines);
  const marks = [...lines.keys()].filter((index) => MARK.test(lines[index] ?? ''));
  const ownerOf = (mark: number) =>
    strategies.find(({ begin, end }) => begin < mark && mark < end)?.name;
  const own = marks.filter((mark) => ownerOf(mark) === strategy);
  const shared = marks.filter((mark) => ownerOf(mark) === undefined);
  const decisive = own.length > 0 ? own : shared;
  if (decisive.length === 0) return undefined;
  const kinds = decisive.map((mark) => MARK.exec(lines[mark] ?? '')?.[1] ?? '');
  return {
    what: kinds.find((kind) => FAILS.test(kind)) ?? kinds[0] ?? '',
    lines: decisive.flatMap((mark) => statementUnder(lines, mark)),
  };
}

/** Returns the name of each strategy in a file, and the lines where it begins and ends. */
function strategiesIn(lines: string[]) {
  const found = [];
  for (const [begin, line] of lines.entries()) {
    if (!/^export const \w+: \w*Strategy = \{$/.test(line)) continue;
    const end = lines.indexOf('};', begin);
    const name = /^ {2}name: '(.+)',$/m.exec(lines.slice(begin, end).join('\n'))?.[1];
    found.push({ name, begin, end });
  }
  return found;
}

/**
 * Returns the numbers of the lines of a statement. A statement is the first line of code below the
 * mark, all deeper indented lines after this line, and the line of the closing bracket.
 */
function statementUnder(lines: string[], mark: number): number[] {
  const first = lines.findIndex((line, index) => index > mark && !/^\s*(\/\/|\*)/.test(line));
  const indent = indentOf(lines[first]);
  const after = lines.slice(first + 1).findIndex((line) => indentOf(line) <= indent);
  const next = lines[first + 1 + after] ?? '';
  const closes = /^\s*[)\]}]/.test(next) && indentOf(next) === indent;
  return Array.from({ length: after + (closes ? 2 : 1) }, (_, index) => first + 1 + index);
}

const indentOf = (line = '') => line.search(/\S|$/);
