import { statSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { callersFile } from '../../process/callers-file.ts';
import { UsageError } from '../../process/errors.ts';
import { Unplayable } from '../explore/gatekeeper.ts';

/** The path of a file as a person would type it: from the person's folder, if the file is below it. */
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

/** The maps of compiled files, by the path of the file. */
const sourceMaps = new Map<string, SourceMap>();

export function keepSourceMap(file: string, map: string) {
  sourceMaps.set(path.resolve(file), new SourceMap(JSON.parse(map)));
}

/** The error in one line, with the line of the file that threw it or that called the thrower. */
export const lineAbout = (error: unknown, file: string): string =>
  `${placeOf(error, file) ?? inFolder(file)}: ${words(error)}`;

/** The innermost cause says the most. Drizzle's own error only repeats the statement. */
function words(error: unknown): string {
  if (!(error instanceof Error))
    return `something that is no Error was thrown: ${firstLine(String(error))}`;
  if (error.cause instanceof Error) return words(error.cause);
  if (error instanceof Unplayable) return error.message;
  return firstLine(`${error.name}: ${error.message}`);
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

/** Such as `mine.ts:7`. The file may have imported the file that threw. */
function placeOf(error: unknown, file: string): string | undefined {
  const name = path.basename(file).replaceAll('.', '\\.');
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const frame = new RegExp(`[/\\\\(]${name}:(\\d+):(\\d+)`).exec(cause.stack ?? '');
    const found = frame && placeInSource(file, Number(frame[1]), Number(frame[2]));
    if (found) return found;
  }
  return undefined;
}

/** The place in the source, for a place in the compiled script. Lines and columns begin at 1. */
function placeInSource(file: string, line: number, column: number): string | undefined {
  const entry = path.resolve(file);
  const found = sourceMaps.get(entry)?.findEntry(line - 1, column - 1);
  if (!found || !('originalLine' in found)) return undefined;
  const source = path.resolve(path.dirname(entry), found.originalSource);
  return `${inFolder(source === entry ? file : source)}:${found.originalLine + 1}`;
}
