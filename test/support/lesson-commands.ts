import { expect, inject } from 'vitest';
import { run } from './command.ts';
import { partsOf, programOf } from './npm-scripts.ts';
import { blocksIn, linesOf, pages } from './pages.ts';

const lessonPages = pages.filter(({ name }) => /^workshop\/\d\d-/.test(name));
const lines = blocksIn('sh', lessonPages).flatMap(linesOf);

/** Every command of the lessons. */
export const lessonCommands = [...new Set(lines.map(({ text }) => text))];

/** Runs a command of a lesson to its end. */
export async function expectToRun(line: string) {
  const { name, args } = partsOf(line);
  const command = run(programOf(name) ?? '', args, { DATABASE_URL: inject('scratchUrl') });
  expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
  expect(command.stdout()).not.toBe('');
}
