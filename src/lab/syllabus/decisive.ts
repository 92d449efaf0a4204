/**
 * A comment such as `// THE LOCK: …` or `// THE GAP: …` stands directly above the statement that
 * makes a strategy hold or fail.
 */
const MARK = /^\s*(?:\/\/|\/\*\*) THE ([A-Z]+): /;

export interface Decisive {
  /** Its kind, such as `LOCK` or `GAP`. */
  what: string;
  /** The numbers of the statement's lines, from 1. */
  lines: number[];
}

/**
 * The decisive statement of a strategy in the text of a file. The statement is in the strategy itself,
 * or in code that the strategies of the file share. Undefined if there is none. Throws if the strategy
 * has several. Code of production may have several, and then all their lines are decisive.
 */
export function findDecisive(text: string, strategy: string): Decisive | undefined {
  const lines = text.split('\n');
  const strategies = strategiesIn(lines);
  const marks = [...lines.keys()].filter((index) => MARK.test(lines[index] ?? ''));
  const ownerOf = (mark: number) =>
    strategies.find(({ begin, end }) => begin < mark && mark < end)?.name;
  const own = marks.filter((mark) => ownerOf(mark) === strategy);
  const shared = marks.filter((mark) => ownerOf(mark) === undefined);
  if (own.length > 1) throw new Error(`${strategy} has more than one decisive statement`);
  const decisive = own.length > 0 ? own : shared;
  const [first] = decisive;
  if (first === undefined) return undefined;
  return {
    what: MARK.exec(lines[first] ?? '')?.[1] ?? '',
    lines: decisive.flatMap((mark) => statementUnder(lines, mark)),
  };
}

/** Where each strategy of a file begins and ends. */
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

/** The first line of code below the mark, the lines indented deeper, and the closing bracket. */
function statementUnder(lines: string[], mark: number): number[] {
  const first = lines.findIndex((line, index) => index > mark && !/^\s*(\/\/|\*)/.test(line));
  const indent = indentOf(lines[first]);
  const after = lines.slice(first + 1).findIndex((line) => indentOf(line) <= indent);
  const next = lines[first + 1 + after] ?? '';
  const closes = /^\s*[)\]}]/.test(next) && indentOf(next) === indent;
  return Array.from({ length: after + (closes ? 2 : 1) }, (_, index) => first + 1 + index);
}

const indentOf = (line = '') => line.search(/\S|$/);
