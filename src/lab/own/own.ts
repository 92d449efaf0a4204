import { existsSync } from 'node:fs';
import { oneLine } from '../../explorer/programs/one-line.ts';
import { shellWord } from '../../explorer/programs/shell-word.ts';
import { UsageError } from '../../platform/process/errors.ts';
import { inProject } from '../../platform/process/project.ts';
import type { Chapter } from '../chapter.ts';
import { findChapter } from '../chapters/index.ts';
import { assertCode, inFolder } from '../judge/place.ts';
import { type ProgramOptions, readProgram, sourceOfProgram } from '../programs/options.ts';
import { OWN_TABLES } from '../programs/own-schema.ts';

/** A student's file, and the chapter of its strategy. */
export interface OwnFile {
  file: string;
  chapter: string;
}

/** A student's program in any language, and the chapter in which the program is tried. */
export interface OwnProgram {
  program: ProgramOptions;
  chapter: string;
}

/** The student's code that the lab shows. Only the command line of the server names the code. */
export type Own = OwnFile | OwnProgram;

/** The source file of a guest. A deployment has no source files. */
export const GUEST = 'src/lab/own/guest.ts';

/** Throws a `UsageError` if this installation cannot run the student's code. */
export function assertCanHost(own: Own) {
  const chapter = chapterOf(own);
  if ('file' in own) assertCode(own.file);
  else readProgram(own.program, chapter);
  if (!existsSync(inProject(GUEST)) || !existsSync(inProject('node_modules/tsx')))
    throw new UsageError(
      `${optionOf(own)} needs the sources and the packages for development: npm ci.`,
    );
}

/** Throws a `UsageError` if there is no such chapter. */
export function chapterOf(own: Own): Chapter {
  const found = findChapter(own.chapter);
  if (typeof found === 'string') throw new UsageError(found);
  return found;
}

/** The option of `npm start` that names the code. */
export function optionOf(own: Own): string {
  if ('file' in own) return '--strategy';
  return own.program.server === undefined ? '--module' : '--server';
}

/** The maximum length of a name. A command may have many lines. */
const LONGEST_NAME = 120;

/** Returns the name of the code for people: the file, or the command in one line. */
export const nameOf = (own: Own): string =>
  'file' in own ? own.file : oneLine(own.program.server ?? own.program.module ?? '', LONGEST_NAME);

/** Returns the options that name the code in a command that plays a schedule again. */
export const sourceOf = (own: Own): string[] =>
  'file' in own ? sourceOfFile(own.file, own.chapter) : sourceOfProgram(own.program);

/**
 * Returns the options that name the strategy in a student's file. The options always contain the
 * chapter, because the name of the function may suggest another chapter.
 */
export const sourceOfFile = (file: string, chapter: string): string[] => [
  ...['--file', shellWord(inFolder(file))],
  ...['--chapter', chapter],
];

/** Returns the first part of the address at which the lab shows the code. */
export const shownIn = (own: Own): string =>
  'program' in own && own.program.schema !== undefined ? OWN_TABLES : own.chapter;

/** Returns the files whose saves start the code again. The files of a command are not known. */
export function watchedOf(own: Own): string[] {
  if ('file' in own) return [own.file];
  const { module, schema } = own.program;
  return [module, schema].filter((file) => file !== undefined);
}
