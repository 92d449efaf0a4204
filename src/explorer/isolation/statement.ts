import { type Token, tokensOf } from '../lexer.ts';
import type { Step } from '../step.ts';

/** A statement that the tester cannot run. The message says why, such as `its SQL has a }`. */
export class NotForTester extends Error {
  override name = 'NotForTester';
}

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
  let end = 0;
  let sql = '';
  for (const token of tokensOf(text)) {
    const space = text.slice(end, token.at);
    sql += space === '' ? '' : (blank ?? space);
    sql += translated(token, params, unwanted);
    end = token.at + token.text.length;
  }
  if (sql.includes('}')) throw new NotForTester('its SQL has a }');
  return sql;
}

function translated({ kind, text }: Token, params: unknown[], unwanted: RegExp): string {
  if (kind === 'comment') return ' ';
  if (kind === 'parameter') return literal(params[Number(text.slice(1)) - 1]);
  return kind === 'string' && unwanted.test(text) ? escaped(text) : text;
}

/** Returns a literal in which escapes replace the characters that a spec cannot have. */
function escaped(text: string): string {
  if (text.startsWith("'")) return quoted(text.slice(1, -1).replaceAll("''", "'"));
  const [mark] = /^\$\w*\$/.exec(text) ?? [];
  if (mark) return quoted(text.slice(mark.length, -mark.length));
  return /^e'/i.test(text) ? withoutBraces(text) : text;
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
