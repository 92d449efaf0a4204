import { expect } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { start } from './command.ts';

/** Packs a package. Returns the path of the packed file. */
export async function packedFileOf(name: 'client' | 'explorer'): Promise<string> {
  const pack = start('npm', ['run', '--silent', `pack:${name}`], {});
  expect(await pack.ended, pack.stderr() + pack.stdout()).toEqual({ code: 0, signal: null });
  return inProject(pack.stdout().trim());
}

/** Runs a command in a folder. Asserts that it ends with the exit code 0. Returns its output. */
export async function ran(folder: string, program: string, ...args: string[]): Promise<string> {
  const command = start(program, args, {}, folder);
  expect(await command.ended, command.stderr() + command.stdout()).toEqual({
    code: 0,
    signal: null,
  });
  return command.stdout();
}

/** Installs packages. All installs use npm's cache, and do not ask for newer versions. */
export const install = (folder: string, ...packages: string[]) =>
  ran(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', ...packages);

/** Checks types with the compiler of Rowlock, because it is installed already. */
export const checkTypes = (folder: string, ...options: string[]) =>
  ran(folder, inProject('node_modules/.bin/tsc'), '--strict', ...options);
