import type { Step } from '../step.ts';

/** A statement that the tester cannot run. The message says why, such as `its SQL has a }`. */
export class NotForTester extends Error {
  override name = 'NotForTester';
}

/**
 * Matches literals, quoted names, comments, parameters, white space, and any other single
 * character.
 */
const TOKEN =
  /\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|\$\d+|\s+|./gs;

/**
 * Writes a statement as SQL without parameters, on one line. A spec of the isolation tester ends
 * each statement at the first `}`, so we escape each `}`. Throws `NotForTester` if we cannot avoid
 * a `}`.
 */
export const asSql = (statement: Parameterized): string =>
  translate(statement, /[}\n\r]/, ' ').trim();

/**
 * Writes a statement as SQL without parameters, but keeps the lines, because a person reads the
 * set-up.
 */
export const asLines = (statement: Parameterized): string => translate(statement, /}/).trim();

type Parameterized = Pick<Step, 'text' | 'params'>;

function translate({ text, params }: Parameterized, unwanted: RegExp, blank?: string): string {
  const sql = text.replace(TOKEN, (token: string, tag: string | undefined) => {
    if (/^(--|\/\*)/.test(token)) return ' ';
    if (/^\s/.test(token)) return blank ?? token;
    if (/^\$\d+$/.test(token)) return literal(params[Number(token.slice(1)) - 1]);
    return unwanted.test(token) ? escaped(token, tag) : token;
  });
  if (sql.includes('}')) throw new NotForTester('its SQL has a }');
  return sql;
}

/** Returns a literal in which escapes replace the characters that a spec cannot have. */
function escaped(token: string, tag: string | undefined): string {
  if (token.startsWith("'")) return quoted(token.slice(1, -1).replaceAll("''", "'"));
  if (tag !== undefined) return quoted(token.slice(tag.length + 2, -tag.length - 2));
  return /^e'/i.test(token) ? withoutBraces(token) : token;
}

/**
 * Returns a parameter as a literal of the type that the driver sends. The driver names the type of
 * bigints, booleans and times. For all other values, PostgreSQL chooses the type, as for a quoted
 * literal.
 */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string' || typeof value === 'number') return quoted(String(value));
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return `'${value}'::bigint`;
  if (value instanceof Date) return `'${value.toISOString()}'::timestamptz`;
  if (value instanceof Uint8Array)
    return `${quoted(`\\x${Buffer.from(value).toString('hex')}`)}::bytea`;
  throw new NotForTester('a parameter is a list or an object');
}

function quoted(value: string): string {
  const text = value.replaceAll("'", "''");
  return /[}\n\r]/.test(text) ? withoutBraces(`e'${text.replaceAll('\\', '\\\\')}'`) : `'${text}'`;
}

/** Replaces characters in a literal with escapes, such as `e'{}'` by `e'{\175'`. */
const withoutBraces = (text: string) =>
  text.replaceAll('}', '\\175').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
