import { tokensOf } from '../../explorer/lexer.ts';
import type { RanStatement, SqlRules } from '../chapter.ts';
import {
  allowedStatements,
  asStep,
  mistakeIn,
  type TypedStatement,
} from '../sandbox/statements.ts';

/** A statement or a command of a script, with the line, from 1, on which it begins. */
export type ScriptStep = ScriptStatement | ScriptCommand;

export interface ScriptStatement extends Omit<RanStatement, 'rows'> {
  kind: 'statement';
  /** The text with names such as `:job`. */
  text: string;
  line: number;
}

/** A command such as `\send :task`. PostgreSQL does not see it. */
export interface ScriptCommand {
  kind: 'command';
  name: string;
  /** The name of the value, such as `task`. */
  of: string;
  line: number;
}

/** The work of one session, as a person types it in SQL. */
export interface Script {
  steps: readonly ScriptStep[];
  /** The maximum number of times that the script begins. */
  tries: number;
}

/** The maximum length of a script in characters. */
export const MOST_CHARACTERS = 3_000;
const MOST_STEPS = 20;
const MOST_TRIES = 20;

/** Reads the text of a script. Throws a `Mistake` for the person if the script may not run. */
export function readScript(text: string, { names, commands }: SqlRules): Script {
  const steps: ScriptStep[] = [];
  let tries = 1;
  for (const part of partsOf(text)) {
    if (part.command === undefined) {
      steps.push(...statementsIn(part.text, part.line));
      continue;
    }
    const [, name = '', rest = ''] = /^\\(\w*)(.*)$/s.exec(part.command) ?? [];
    const argument = rest.trim().replace(/;$/, '').trim();
    if (!Object.hasOwn(commands, name))
      throw mistakeIn('script', part, `There is no command \\${name}. ${knownOf(commands)}`);
    if (name === 'retry') tries = readTries(argument, part);
    else steps.push({ kind: 'command', name, of: readName(argument, name, part), line: part.line });
  }
  const [tooMany] = steps.slice(MOST_STEPS);
  if (tooMany)
    throw mistakeIn(
      'script',
      tooMany,
      `At most ${MOST_STEPS} statements and commands are allowed.`,
    );
  if (steps.length === 0)
    throw mistakeIn(
      'script',
      { line: 1 },
      `There is no statement. The names are ${inWords(names)}.`,
    );
  return { steps, tries };
}

const inWords = (names: object): string =>
  Object.keys(names)
    .map((name) => `:${name}`)
    .join(' and ');

function knownOf(commands: object): string {
  const names = Object.keys(commands).map((name) => `\\${name}`);
  return names.length === 0
    ? 'This lesson has no commands.'
    : `The commands are ${names.join(' and ')}.`;
}

function readTries(argument: string, at: { line: number }): number {
  const tries = /^\d+$/.test(argument) ? Number(argument) : 0;
  if (tries >= 1 && tries <= MOST_TRIES) return tries;
  throw mistakeIn(
    'script',
    at,
    `Write how often, such as \\retry 10. The maximum is ${MOST_TRIES}.`,
  );
}

function readName(argument: string, command: string, at: { line: number }): string {
  const [, name] = /^:([a-z_]\w*)$/i.exec(argument) ?? [];
  if (name !== undefined) return name.toLowerCase();
  throw mistakeIn('script', at, `Write a name after the command, such as \\${command} :task.`);
}

interface TextPart {
  text: string;
  line: number;
  /** The line of a command. Undefined if the part is SQL. */
  command?: string;
}

/** Divides a script at the lines of its commands, which begin with a backslash. */
function partsOf(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let open: TextPart | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*\\/.test(line)) {
      parts.push({ text: '', line: index + 1, command: line.trim().replace(/\s*--.*$/, '') });
      open = undefined;
    } else if (open) open.text += `\n${line}`;
    else {
      open = { text: line, line: index + 1 };
      parts.push(open);
    }
  }
  return parts;
}

/** Returns the statements of a text that begins on this line. */
const statementsIn = (text: string, begin: number): ScriptStatement[] =>
  // Empty lines stand for the lines before the text. So a mistake has its line in the script.
  allowedStatements('script', '\n'.repeat(begin - 1) + text).map((statement) => {
    assertReadable(statement);
    return {
      kind: 'statement',
      text: asStep(statement),
      line: statement.line,
      ...subjectOf(statement.text),
    };
  });

const NO_MERGE = 'Write INSERT, UPDATE or DELETE in place of MERGE.';
const WRITES = ['insert', 'update', 'delete', 'merge'];
/** In these modes, a lock of a table lets the lab read the table. */
const MODES =
  /\bin (row share|row exclusive|share update exclusive|share|share row exclusive|exclusive) mode\b/i;

/** Throws a `Mistake` if the lab could not read the answer from this statement. */
function assertReadable(statement: TypedStatement) {
  const refuse = (detail: string): never => {
    throw mistakeIn('script', statement, detail);
  };
  const tokens = tokensOf(statement.text);
  const words = tokens.map(({ text }) => text.toLowerCase());
  const [first = ''] = words;
  if (first === 'merge') refuse(NO_MERGE);
  if (first === 'lock' && !MODES.test(statement.text.replace(/\s+/g, ' ')))
    refuse('Write a mode that lets others read, such as IN EXCLUSIVE MODE.');
  if (tokens.some(({ kind }) => kind === 'parameter'))
    refuse('Write a name such as :job in place of a parameter such as $1.');
  if (first === 'with' && outerWords(words).includes('merge')) refuse(NO_MERGE);
  // PostgreSQL does not say how many rows a write inside of WITH changed.
  const inside = innerWords(words);
  // A write begins after a parenthesis, also after the one that closes a WITH of its own.
  const isWrite = (word: string, at: number) =>
    WRITES.includes(word) && /^[()]$/.test(inside[at - 1] ?? '');
  if (first === 'with' && inside.some(isWrite))
    refuse(
      'Write each INSERT, UPDATE and DELETE as a statement of its own, and not inside of WITH.',
    );
}

/** Returns the words in parentheses, with the parentheses. */
function innerWords(words: readonly string[]): string[] {
  let depth = 0;
  return words.filter((word) => {
    if (word === '(') depth++;
    const isInside = depth > 0;
    if (word === ')') depth--;
    return isInside;
  });
}

const VERBS = /^(select|insert|update|delete)$/;

/** Returns the verb of a statement, and its first table. A CTE may come before the verb. */
function subjectOf(text: string): Pick<RanStatement, 'verb' | 'table'> {
  const words = tokensOf(text).map((token) => token.text.toLowerCase());
  // A whole SELECT may be in parentheses.
  const outer = words[0] === '(' ? words.filter((word) => !/[()]/.test(word)) : outerWords(words);
  const at = outer.findIndex((word) => VERBS.test(word));
  const verb = outer[at] as RanStatement['verb'] | undefined;
  if (verb === undefined) return { verb: 'other', table: '' };
  const rest = outer.slice(at + 1);
  // Such a SELECT may find no row although the row is there.
  if (rest.join(' ').endsWith('skip locked')) return { verb, table: '' };
  const before = verb === 'update' ? 0 : placeOfTable(verb, rest);
  if (before < 0) return { verb, table: '' };
  const [first = '', dot, second = ''] = rest.slice(before).filter((word) => word !== 'only');
  return { verb, table: (dot === '.' ? second : first).replaceAll('"', '') };
}

/** Returns the place of the first table, or -1. The FROM of `is distinct from` names no table. */
function placeOfTable(verb: string, words: readonly string[]): number {
  const keyword = verb === 'insert' ? 'into' : 'from';
  const at = words.findIndex((word, index) => word === keyword && words[index - 1] !== 'distinct');
  return at < 0 ? -1 : at + 1;
}

function outerWords(words: readonly string[]): string[] {
  let depth = 0;
  return words.filter((word) => {
    if (word === '(') depth++;
    const isOuter = depth === 0;
    if (word === ')') depth--;
    return isOuter;
  });
}
