import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlainError } from './errors.ts';

/**
 * Finds the nearest folder above this file that has a package.json. This code runs in
 * `src/platform/process`, or in a compiled program in `dist`. Only this file knows how to find the
 * project's folder.
 */
function findProject(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}

const project = findProject();

/**
 * Returns the absolute path of a file. `name` is the path of the file inside the project's folder.
 */
export const inProject = (name: string): string => path.join(project, name);

/** The version of this program. */
export const { version } = JSON.parse(readFileSync(inProject('package.json'), 'utf8')) as {
  version: string;
};

/**
 * Reads a file of `dist`, or lists a folder there. The service reads everything of `dist` before it
 * listens, so a later build does not change a running server.
 */
function fromDist<T>(name: string, read: (file: string) => T): T {
  const file = inProject(path.join('dist', name));
  try {
    return read(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PlainError(`Cannot read ${file} (${code}). Run npm run build.`);
  }
}

export const readBuilt = (name: string): Buffer => fromDist(name, (file) => readFileSync(file));

/** Returns the paths of everything below a folder of `dist`, relative to this folder. */
export const listBuilt = (name: string): string[] =>
  fromDist(name, (folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }));
