import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { findOnPath } from '../../src/lab/stores/program.ts';
import { makeTmpDir } from './command.ts';

/** A program that some tests need, and that a machine may lack. */
export interface OptionalProgram {
  /** The program's name for people, such as "Chromium". */
  title: string;
  /** The name of the program's file on the PATH. */
  name: string;
  /** The environment variable that can give another name or a path. */
  variable: string;
  /** The subject of the tests that are skipped without the program. */
  tests: string;
  /** More directories to search after the PATH. */
  beside?: string[];
}

/**
 * The path of the program. Undefined on a machine without the program, after a warning on stderr.
 * In CI no test may be skipped, so a missing program is an error.
 */
export function findProgram(program: OptionalProgram): string | undefined {
  const { title, name, variable, tests, beside = [] } = program;
  const wanted = process.env[variable] || name;
  const searched = [process.env.PATH ?? '', ...beside].join(path.delimiter);
  const found = findOnPath(wanted, searched);
  if (found !== undefined) return found;
  const missing = `There is no ${title} at "${wanted}" (${variable}).`;
  if (process.env.CI) throw new Error(`${missing} In CI the tests of ${tests} must run.`);
  process.stderr.write(`\n!!! ${missing} THE TESTS OF ${tests.toUpperCase()} ARE SKIPPED.\n\n`);
  return undefined;
}

/** A folder with all programs of the PATH except these. PostgreSQL needs some of the others. */
export function pathWithout(...missing: string[]): string {
  const folder = path.join(makeTmpDir(), 'bin');
  mkdirSync(folder);
  for (const place of (process.env.PATH ?? '').split(path.delimiter).filter(existsSync))
    for (const name of readdirSync(place))
      if (!missing.includes(name) && !existsSync(path.join(folder, name)))
        symlinkSync(path.join(place, name), path.join(folder, name));
  return folder;
}
