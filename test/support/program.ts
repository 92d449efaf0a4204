import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** A program that some tests run, and that a machine may lack. */
export interface OptionalProgram {
  /** In words: "Chromium". */
  title: string;
  /** On the PATH by this name. */
  name: string;
  /** The environment variable that gives another name or a path. */
  variable: string;
  /** The tests that are skipped without the program. */
  tests: string;
  /** Directories beside the PATH. */
  beside?: string[];
}

/**
 * The path of the program; undefined where there is none, which is said aloud. In CI nothing may be
 * skipped, so there it is an error.
 */
export function findProgram(program: OptionalProgram): string | undefined {
  const { title, name, variable, tests, beside = [] } = program;
  const wanted = process.env[variable] || name;
  const folders = wanted.includes(path.sep)
    ? ['']
    : [...(process.env.PATH ?? '').split(path.delimiter), ...beside];
  const found = folders.map((folder) => path.join(folder, wanted)).find(isProgram);
  if (found !== undefined) return found;
  const missing = `There is no ${title} at "${wanted}" (${variable}).`;
  if (process.env.CI) throw new Error(`${missing} In CI the tests of ${tests} have to run.`);
  process.stderr.write(`\n!!! ${missing} THE TESTS OF ${tests.toUpperCase()} ARE SKIPPED.\n\n`);
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
