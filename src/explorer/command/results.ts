import path from 'node:path';
import { PlainError } from '../../platform/process/errors.ts';
import { exploreFor, nameOf } from '../package/explore.ts';
import { lineOf, sayPlayed, sayViolation } from '../package/message.ts';
import type { Exploring, Found } from '../package/types.ts';
import type { Definition } from './definitions.ts';

/** The result of one exploration: what was found, or the error if it could not run. */
export interface Result {
  name: string;
  /** The path of the file, relative to the working directory. */
  file: string;
  found?: Found;
  error?: Error;
}

/** Explores one definition. Only errors that a person cannot correct are thrown. */
export async function resultOf(
  { file, order }: Definition,
  others: Partial<Exploring>,
): Promise<Result> {
  const known = { name: nameOf(order), file: path.relative('', file) };
  const given = { ...order, ...others, most: { ...order.most, ...others.most } };
  try {
    return { ...known, found: await exploreFor({ file, line: 1 }, given) };
  } catch (error) {
    if (others.signal?.aborted || !(error instanceof Error)) throw error;
    return { ...known, error };
  }
}

/** The exit codes of the command. */
export const EXIT = { held: 0, broken: 1, couldNotRun: 2, limit: 4 };

export function exitCodeOf(results: readonly Result[]): number {
  if (results.some(({ found }) => found?.violation)) return EXIT.broken;
  if (results.some(({ error }) => error)) return EXIT.couldNotRun;
  return results.every(({ found }) => found?.isComplete) ? EXIT.held : EXIT.limit;
}

const ENDED_BY_LIMIT = ', then a limit ended the search (--schedules or --seconds)';

/** The result in one line, such as `the rule holds in all 8 schedules`. */
export function verdictOf({ found, error }: Result): string {
  if (error) return `could not run: ${lineOf(error)}`;
  if (!found) throw new PlainError('there is no result');
  if (!found.violation)
    return `the rule holds in ${sayPlayed(found)}${found.isComplete ? '' : ENDED_BY_LIMIT}`;
  if (found.violation.number === 0) return 'the kept schedule breaks the rule';
  return found.violations === 1
    ? `broken in schedule ${found.violation.number}`
    : `broken in ${found.violations} of ${sayPlayed(found)}`;
}

const replayLine = (file: string) => `Replay: npx rowlock-explorer replay ${file}`;

/** The result as text for a person. */
export function tellResult(result: Result): string {
  const { name, file, found } = result;
  const head = `${file} · ${name}: ${verdictOf(result)}`;
  const seconds = found ? ` (${(found.milliseconds / 1000).toFixed(1)} s)` : '';
  const rest = found?.violation
    ? ['', sayViolation(found, found.violation), ...(found.keptIn ? [replayLine(file)] : [])]
    : (found?.remarks ?? []);
  return [`${head}${seconds}`, ...rest, ''].join('\n');
}
