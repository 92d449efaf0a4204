import { statSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { Unplayable } from '../../explorer/gatekeeper.ts';
import { callersFile } from '../../platform/process/callers-file.ts';
import { PlainError, UsageError } from '../../platform/process/errors.ts';

/**
 * Returns the path of a file as a person would type it. The path is relative if the file is in the
 * person's current folder.
 */
export function inFolder(file: string): string {
  const short = path.relative(callersFile('.'), path.resolve(file));
  return short.startsWith('..') ? file : short;
}

/** Throws a `UsageError` if the file is missing, or is no file of code. */
export function assertCode(file: string) {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`There is no file ${file}.`);
  if (!found.isFile() || !/\.[cm]?[jt]sx?$/.test(file))
    throw new UsageError(`${file} is no TypeScript or JavaScript file.`);
}

/** The source maps of compiled files, by the path of the file. */
const sourceMaps = new Map<string, SourceMap>();

export function keepSourceMap(file: string, map: string) {
  sourceMaps.set(path.resolve(file), new SourceMap(JSON.parse(map)));
}

/**
 * Returns the error in one line, with a line of the file. This line threw the error, or called the
 * code that threw the error.
 */
export const lineAbout = (error: unknown, file: string): string =>
  `${placeOf(error, file) ?? inFolder(file)}: ${words(error)}`;

/**
 * Returns the words of the innermost cause, which says the most. Drizzle's own error only repeats
 * the statement.
 */
function words(error: unknown): string {
  if (!(error instanceof Error))
    return `something that is no Error was thrown: ${firstLine(String(error))}`;
  if (error.cause instanceof Error) return words(error.cause);
  if (error instanceof Unplayable || error instanceof PlainError) return error.message;
  return firstLine(`${error.name}: ${error.message}`);
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

/**
 * Returns the place of the error in the file, such as `mine.ts:7`. The result may be a place in a
 * file that this file imports.
 */
function placeOf(error: unknown, file: string): string | undefined {
  const name = path.basename(file).replaceAll('.', '\\.');
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const frame = new RegExp(`[/\\\\(]${name}:(\\d+):(\\d+)`).exec(cause.stack ?? '');
    const found = frame && placeInSource(file, Number(frame[1]), Number(frame[2]));
    if (found) return found;
  }
  return undefined;
}

/**
 * Translates a place in the compiled script into a place in the source. Lines and columns begin at
 * 1.
 */
function placeInSource(file: string, line: number, column: number): string | undefined {
  const entry = path.resolve(file);
  const found = sourceMaps.get(entry)?.findEntry(line - 1, column - 1);
  if (!found || !('originalLine' in found)) return undefined;
  const source = path.resolve(path.dirname(entry), found.originalSource);
  return `${inFolder(source === entry ? file : source)}:${found.originalLine + 1}`;
}
