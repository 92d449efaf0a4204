import { tokensOf } from '../../explorer/lexer.ts';
import type { RanStatement, SqlRules } from '../chapter.ts';
import { allowedStatements, asStep, mistakeIn } from '../sandbox/statements.ts';

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
  /** How often the script begins at most. */
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
    const [, name = '', argument = ''] = /^\\(\w*)\s*(.*?)\s*;?\s*$/.exec(part.command) ?? [];
    if (!Object.hasOwn(commands, name))
      throw mistakeIn('script', part, `There is no command \\${name}. ${knownOf(commands)}`);
    if (name === 'retry') tries = readTries(argument, part);
    else steps.push({ kind: 'command', name, of: readName(argument, name, part), line: part.line });
  }
  if (steps.length > MOST_STEPS)
    throw mistakeIn(
      'script',
      steps[MOST_STEPS] as ScriptStep,
      `At most ${MOST_STEPS} statements are allowed.`,
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
  return names.length === 0 ? 'This lesson has no commands.' : `There is ${names.join(' and ')}.`;
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
  throw mistakeIn('script', at, `Write a name behind the command, such as \\${command} :task.`);
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
  // The lines before the text count too, so each mistake has the line of the script.
  allowedStatements('script', '\n'.repeat(begin - 1) + text).map((statement) => ({
    kind: 'statement',
    text: asStep(statement),
    line: statement.line,
    ...subjectOf(statement.text),
  }));

const VERBS = /^(select|insert|update|delete)$/;

/** Returns the verb of a statement, and its first table. A CTE may come before the verb. */
function subjectOf(text: string): Pick<RanStatement, 'verb' | 'table'> {
  const words = tokensOf(text).filter(({ kind }) => kind !== 'comment');
  let depth = 0;
  const outer = words.filter((token) => {
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    return depth === 0 && token.text !== ')';
  });
  const at = outer.findIndex(({ text }) => VERBS.test(text.toLowerCase()));
  const verb = outer[at]?.text.toLowerCase() as RanStatement['verb'] | undefined;
  if (verb === undefined) return { verb: 'other', table: '' };
  const rest = outer.slice(at + 1).map((token) => token.text.toLowerCase());
  const before = verb === 'update' ? 0 : rest.indexOf(verb === 'insert' ? 'into' : 'from') + 1;
  if (verb !== 'update' && before === 0) return { verb, table: '' };
  const [first = '', dot, second = ''] = rest.slice(before).filter((word) => word !== 'only');
  return { verb, table: (dot === '.' ? second : first).replaceAll('"', '') };
}
