import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { readLessons } from '../../src/lab/lessons/lesson.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { start } from './command.ts';
import { programFile } from './program.ts';

const env = { DATABASE_URL: inject('scratchUrl') };
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

const command = ['--import', tsx, inProject('scripts/workshop.ts')];

/** Runs the coach in a folder. The student's files are in this folder. */
export const workshop = (folder: string, ...args: string[]) =>
  start(process.execPath, [...command, ...args], env, folder);

export const lessonOf = (number: number) => {
  const lesson = readLessons().find((each) => each.number === number);
  if (!lesson) throw new Error(`there is no lesson ${number}`);
  return lesson;
};

/** Runs the coach in a terminal, and types keys. */
export function inTerminal(folder: string, ...args: string[]) {
  const line = [process.execPath, ...command, ...args].map((each) => `'${each}'`).join(' ');
  const log = path.join(folder, 'terminal.log');
  const terminal = start(
    programFile('script'),
    ['-qfec', line, log],
    { ...env, TERM: 'xterm' },
    folder,
    'pipe',
  );
  const type = (keys: string) => terminal.child.stdin?.write(keys);
  return { ...terminal, type };
}
