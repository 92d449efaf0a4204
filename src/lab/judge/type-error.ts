import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { inProject } from '../../platform/process/project.ts';
import { inFolder } from './place.ts';

/**
 * Returns the first type error of a file, as one line such as `mine.ts:7: Cannot find name 'x'.`
 * Returns undefined if there is no type error. The file may be anywhere on the disk.
 */
export async function typeError(file: string, stop?: AbortSignal): Promise<string | undefined> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rowlock-types-'));
  try {
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(settingsFor(file)));
    return firstError(file, await compilerOutput(folder, stop));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compilerOutput(folder: string, stop: AbortSignal | undefined): Promise<string> {
  const args = [inProject('node_modules/typescript/bin/tsc'), '--pretty', 'false', '-p', folder];
  const compiler = spawn(process.execPath, args, {
    cwd: inProject('.'),
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(stop && { signal: stop }),
  });
  compiler.on('error', () => {});
  return text(compiler.stdout);
}

/**
 * Returns the settings of the compiler. With these settings, a file outside the project finds the
 * project and its packages, as at run time.
 */
const settingsFor = (file: string) => ({
  extends: inProject('workshop/tsconfig.json'),
  compilerOptions: {
    module: 'ESNext',
    moduleResolution: 'Bundler',
    typeRoots: [inProject('node_modules/@types')],
    paths: {
      'rowlock/*': [inProject('src/*')],
      '*': [inProject('node_modules/*')],
    },
  },
  files: [path.resolve(file)],
  include: [],
});

/** The type of a query of Drizzle fills many lines, and tells a student nothing. */
const LONG_TYPE = / on type '.{80,}'\./;

/**
 * Returns the first error in this file. Ignores errors in other files, because our settings cause
 * them.
 */
function firstError(file: string, said: string): string | undefined {
  const errors = said.matchAll(/^(.+)\((\d+),\d+\): error TS\d+: (.+)$/gm);
  for (const [, name = '', line, words = ''] of errors)
    if (path.resolve(inProject('.'), name) === path.resolve(file))
      return `${inFolder(file)}:${line}: ${words.replace(LONG_TYPE, '.')}`;
  return undefined;
}
