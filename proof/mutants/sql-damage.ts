import { weakerThan } from './code-damage.ts';
import { type Code, type Damage, type Edit, listOf, type Node, nameOf } from './syntax.ts';

/** The SQL of one `sql` template. Each value in the template became as many `?` as it was long. */
interface Sql {
  start: number;
  words: string;
}

function sqlIn({ text, nodes }: Code): Sql[] {
  return nodes.flatMap(({ node }) => {
    if (node.type !== 'TaggedTemplateExpression' || nameOf(node.tag) !== 'sql') return [];
    const quasi = node.quasi as Node;
    let words = text.slice(quasi.start, quasi.end);
    for (const { start, end } of listOf(quasi.expressions)) {
      const [from, to] = [start - 2 - quasi.start, end + 1 - quasi.start];
      words = `${words.slice(0, from)}${'?'.repeat(to - from)}${words.slice(to)}`;
    }
    return { start: quasi.start, words };
  });
}

/** Makes a damage that replaces each match of a pattern in SQL by each of the texts. */
const inSql = (name: string, pattern: RegExp, texts: (match: string) => string[]): Damage => ({
  name,
  editsOf: (code) =>
    sqlIn(code).flatMap(({ start, words }) =>
      [...words.matchAll(pattern)].flatMap(({ 0: match, index }) =>
        texts(match).map((text) => ({
          ...{ start: start + index, end: start + index + match.length },
          text,
        })),
      ),
    ),
});

const weakensLock = inSql(
  'weakens a row lock in SQL',
  /(?<=\bfor )(no key update|update|key share|share)\b/g,
  weakerThan,
);

const changesWaiting = inSql('waits for locked rows', / skip locked\b/g, () => ['']);

const changesAdvisoryLock = inSql('changes an advisory lock', /\bpg_advisory_xact_lock\b/g, () => [
  'pg_advisory_xact_lock_shared',
  'pg_try_advisory_xact_lock',
  'pg_advisory_lock',
]);

const OPERATORS: Readonly<Record<string, string[]>> = {
  ' < ': [' <= '],
  ' <= ': [' < '],
  ' > ': [' >= '],
  ' >= ': [' > '],
  ' + ': [' - '],
  ' - ': [' + '],
};

const changesOperator = inSql('changes an operator in SQL', / ([<>]=?|[+-]) /g, (found) => [
  ...(OPERATORS[found] ?? []),
]);

const changesInterval = inSql('ends a time at once', /interval '\d+ \w+'/g, () => [
  "interval '0 seconds'",
]);

const dropsClause = inSql(
  'drops a clause in SQL',
  /\b(on conflict do nothing|limit (\d+|\?+)|order by \w+(, ?\w+)*)/g,
  () => [''],
);

/** Drops each condition of a WHERE, up to the end of the condition. */
const dropsCondition: Damage = {
  name: 'drops a condition in SQL',
  editsOf: (code) =>
    sqlIn(code).flatMap(({ start, words }) =>
      [...words.matchAll(/\b(where|and) /g)].flatMap(({ 0: found, index }): Edit[] => {
        const begin = index + found.length;
        const end = endOfCondition(words, begin);
        const isFirst = found === 'where ';
        const next = /^\s+and /.exec(words.slice(end))?.[0].length;
        if (isFirst && next !== undefined)
          return [{ start: start + begin, end: start + end + next, text: '' }];
        return [{ start: start + index, end: start + end, text: '' }];
      }),
    ),
};

const AFTER_CONDITION = /^\s+(and|or|returning|order by|limit|for|offset|group by|union|on)\b/;

/** Returns the place after the condition that begins at `begin`. */
function endOfCondition(words: string, begin: number): number {
  let depth = 0;
  for (let at = begin; at < words.length; at++) {
    const letter = words[at];
    if (letter === '(') depth++;
    if (letter === ')' && depth-- === 0) return at;
    if (letter === '`') return at;
    if (depth === 0 && AFTER_CONDITION.test(words.slice(at))) return at;
  }
  return words.length;
}

/** All damages of SQL in `sql` templates. */
export const ofSql: readonly Damage[] = [
  weakensLock,
  changesWaiting,
  changesAdvisoryLock,
  changesOperator,
  changesInterval,
  dropsClause,
  dropsCondition,
];
