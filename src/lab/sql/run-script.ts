import { lendOf } from '../../explorer/databases.ts';
import { tokensOf } from '../../explorer/lexer.ts';
import type { Session, Statement } from '../../platform/db/session.ts';
import { databaseError, SQLSTATE } from '../../platform/db/sqlstate.ts';
import {
  isOfTrial,
  type RanStatement,
  type RunScript,
  type ScriptEnd,
  type ScriptValue,
} from '../chapter.ts';
import { Mistake, mistakeIn } from '../sandbox/statements.ts';
import type { Script, ScriptStatement } from './script.ts';

type Commands = NonNullable<Parameters<RunScript>[2]>;
type Names = Map<string, ScriptValue>;

const ROLLBACK = { text: 'rollback', params: [] };

/** Returns the function that runs a script. Throws a `Mistake` if a statement is wrong. */
export const runnerOf =
  (script: Script): RunScript =>
  async (db, given, commands = {}) => {
    for (let attempt = 1; ; attempt++) {
      const names: Names = new Map(Object.entries(given));
      try {
        return await lendOf(db)((session) => runOnce(session, script, names, commands));
      } catch (error) {
        if (script.tries === 1 || !isConflict(error)) throw error;
        if (attempt === script.tries) return { ran: [], names, hasGivenUp: true };
      }
    }
  };

const CONFLICTS: unknown[] = [SQLSTATE.serializationFailure, SQLSTATE.deadlockDetected];

const isConflict = (error: unknown): boolean =>
  !isOfTrial(error) && CONFLICTS.includes(databaseError(error)?.code);

async function runOnce(
  session: Session,
  { steps }: Script,
  names: Names,
  commands: Commands,
): Promise<ScriptEnd> {
  const ran: RanStatement[] = [];
  /** The statements of the open transaction. Undefined outside of a transaction. */
  let open: RanStatement[] | undefined;
  const run = (statement: Pick<Statement, 'text' | 'params'>) =>
    session.run({ ...statement, asArrays: false });
  try {
    for (const step of steps) {
      if (step.kind === 'command') {
        await commands[step.name]?.(valueIn(names, step.of, step));
        continue;
      }
      const filled = filledIn(step, names);
      const { text } = filled;
      const rows = await run(filled).catch((error: unknown) => {
        throw explained(error, step);
      });
      const { columns, count } = rows as unknown as Result;
      for (const { name, type } of columns ?? []) names.set(name, asValue(rows[0], name, type));
      if (/^(begin|start)\b/i.test(text)) open ??= [];
      else if (text === 'commit' || text === 'rollback') {
        if (text === 'commit') ran.push(...(open ?? []));
        open = undefined;
      } else (open ?? ran).push({ verb: step.verb, table: step.table, rows: count ?? rows.length });
    }
  } catch (error) {
    // After a lost connection, PostgreSQL has ended the transaction itself.
    if (open) await run(ROLLBACK).catch(() => undefined);
    throw error;
  }
  // A transaction without an end is rolled back, as if the program closed its connection.
  if (open) await run(ROLLBACK);
  return { ran, names, hasGivenUp: false };
}

/** The fields of a result that `Rows` does not have. The answer of the gate to BEGIN has none. */
interface Result {
  columns?: { name: string; type: number }[] | null;
  count?: number | null;
}

/** The types of PostgreSQL's whole numbers: bigint, smallint, integer. */
const WHOLE = [20, 21, 23];

/**
 * Returns the value of a column. Whole numbers become bigints, so a later statement compares them as
 * numbers.
 */
function asValue(row: unknown, name: string, type: number): ScriptValue {
  const value = (row as Record<string, unknown> | undefined)?.[name] ?? null;
  if (value === null || typeof value === 'boolean') return value;
  if (WHOLE.includes(type)) return BigInt(value as string | number);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Puts the values of the names into a statement, as parameters. Ids differ in each schedule. As
 * constants, they would change the text of the statement.
 */
function filledIn(statement: ScriptStatement, names: Names): Pick<Statement, 'text' | 'params'> {
  const { text } = statement;
  const tokens = tokensOf(text);
  const params: ScriptValue[] = [];
  let filled = '';
  let end = 0;
  for (const [index, { text: word, at }] of tokens.entries()) {
    const before = tokens[index - 1];
    const isName = before?.text === ':' && before.at === at - 1 && /^[a-z_]\w*$/i.test(word);
    if (!isName) continue;
    params.push(valueIn(names, word.toLowerCase(), statement));
    filled += `${text.slice(end, before.at)}$${params.length}`;
    end = at + word.length;
  }
  return { text: filled + text.slice(end), params };
}

function valueIn(names: Names, name: string, at: { line: number }): ScriptValue {
  const value = names.get(name);
  if (value !== undefined) return value;
  const known = [...names.keys()].map((each) => `:${each}`).join(', ');
  throw mistakeIn(
    'script',
    at,
    `:${name} has no value. No earlier statement returns a column of this name. The names here are ${known}.`,
  );
}

/**
 * Errors with these codes come from other sessions or from the rows. Every other error is a mistake in
 * the script.
 */
const OUTCOMES = [/^23(503|505|514|P01)$/, /^40/, /^55P03$/, /^57/, /^08/];

/** Returns the error. If the statement is wrong, returns a `Mistake` with its line. */
function explained(error: unknown, statement: ScriptStatement): unknown {
  const { code } = databaseError(error) ?? {};
  const isMistake = code !== undefined && /^[0-9A-Z]{5}$/.test(code);
  if (error instanceof Mistake || !isMistake || isOfTrial(error)) return error;
  if (OUTCOMES.some((each) => each.test(code))) return error;
  const message = error instanceof Error ? error.message : String(error);
  return mistakeIn('script', statement, withNames(message, statement).slice(0, 300));
}

/** Replaces the numbers of parameters by the names that the person wrote. */
function withNames(message: string, { text }: ScriptStatement): string {
  const names = [...text.matchAll(/(?<!:):([a-z_]\w*)/gi)].map(([name]) => name);
  const named = message.replace(/parameter \$(\d+)/g, (_, at) => `${names[Number(at) - 1]}`);
  const [, unknown] = /^could not determine data type of (:\w+)/.exec(named) ?? [];
  return unknown ? `${named}. Write its type, such as ${unknown}::bigint.` : named;
}
