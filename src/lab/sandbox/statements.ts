import { type Token, tokensOf } from '../../explorer/lexer.ts';
import { PlainError } from '../../platform/process/errors.ts';

/** A statement of a typed text, without comments and without its semicolon. */
export interface TypedStatement {
  text: string;
  /** The line, from 1, on which the statement begins. */
  line: number;
}

/** The error if the typed text is wrong. The message names the part of the experiment. */
export class Mistake extends PlainError {
  override name = 'Mistake';
}

/** The part of an experiment that a text belongs to, such as `session 1`, or a whole script. */
export type Part = 'tables' | 'check' | 'script' | `session ${number}`;

export const mistakeIn = (part: Part, { line }: { line: number }, detail: string) =>
  new Mistake(`${part}, line ${line}: ${detail}`);

/** Returns the statements of a text, in order. */
export function statementsOf(text: string): TypedStatement[] {
  const found: TypedStatement[] = [];
  let current: Token[] = [];
  const end = () => {
    const [first] = current;
    if (first) found.push({ text: withoutComments(text, current), line: lineOf(text, first) });
    current = [];
  };
  for (const token of tokensOf(text)) {
    if (token.text === ';') end();
    else if (token.kind !== 'comment') current.push(token);
  }
  end();
  return found;
}

/** Returns the text of these tokens. A comment between two tokens becomes a space. */
function withoutComments(text: string, tokens: Token[]): string {
  let end = tokens[0]?.at ?? 0;
  let found = '';
  for (const token of tokens) {
    const between = text.slice(end, token.at);
    found += (between.trim() === '' ? between : ' ') + token.text;
    end = token.at + token.text.length;
  }
  return found.trim();
}

const lineOf = (text: string, { at }: Token): number => text.slice(0, at).split('\n').length;

const READS = /^(select|values|table|with)\b|^\(/i;
const WRITES = /^(insert|update|delete|merge)\b/i;

/** The statements that a script may have, apart from reads and writes. */
const OF_SCRIPTS = [
  /^lock\b/i,
  /^(begin|start transaction)\b/i,
  /^(commit|end|rollback|abort)( work| transaction)?$/i,
  /^set transaction\b/i,
];

/** The statements that a session may have, apart from reads and writes. */
const OF_SESSIONS = [
  ...OF_SCRIPTS,
  /^truncate\b/i,
  /^rollback( work| transaction)? to\b/i,
  /^(savepoint|release)\b/i,
  /^set constraints\b/i,
];

const OF_TABLES = [
  /^create (unlogged )?table\b/i,
  /^create (unique )?index\b/i,
  /^create (view|sequence|type|domain)\b/i,
  /^alter (table|sequence|index|type|domain)\b/i,
];

/**
 * The kinds of statements that each part allows. The first words of a statement show its kind. With
 * this list, mistakes get clear messages, and the explorer divides the statements into the right
 * steps. The list does not protect the server. The rights of the student's role protect the server.
 */
const ALLOWED: Record<string, { kinds: RegExp[]; inWords: string }> = {
  tables: {
    kinds: [READS, WRITES, ...OF_TABLES],
    inWords: 'CREATE TABLE, INDEX, VIEW, SEQUENCE, TYPE or DOMAIN, ALTER, INSERT, UPDATE, DELETE',
  },
  session: {
    kinds: [READS, WRITES, ...OF_SESSIONS],
    inWords:
      'SELECT, INSERT, UPDATE, DELETE, MERGE, LOCK, TRUNCATE, BEGIN, COMMIT, ROLLBACK, SAVEPOINT, ' +
      'SET TRANSACTION, SET CONSTRAINTS',
  },
  script: {
    kinds: [READS, WRITES, ...OF_SCRIPTS],
    inWords: 'SELECT, INSERT, UPDATE, DELETE, LOCK, BEGIN, COMMIT, ROLLBACK, SET TRANSACTION',
  },
  check: { kinds: [READS], inWords: 'SELECT' },
};

/** Returns the statements of one part. Throws a `Mistake` if a statement is not allowed there. */
export function allowedStatements(part: Part, text: string): TypedStatement[] {
  const [kind = ''] = part.split(' ');
  const { kinds, inWords } = ALLOWED[kind] as (typeof ALLOWED)[string];
  const statements = statementsOf(text);
  for (const statement of statements) {
    const words = statement.text.replace(/\s+/g, ' ');
    if (kinds.some((pattern) => pattern.test(words))) continue;
    const first = /^\S+( \w+)?/.exec(words)?.[0].slice(0, 40) ?? '';
    throw mistakeIn(part, statement, `"${first}" is not allowed here. Allowed are ${inWords}.`);
  }
  return statements;
}

/**
 * Returns a statement in the form that the explorer's rules for steps know. In PostgreSQL, END also
 * means COMMIT, and ABORT also means ROLLBACK.
 */
export function asStep({ text }: TypedStatement): string {
  if (/^(commit|end)(\s+(work|transaction))?$/i.test(text)) return 'commit';
  return /^(rollback|abort)(\s+(work|transaction))?$/i.test(text) ? 'rollback' : text;
}
