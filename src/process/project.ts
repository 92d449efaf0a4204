import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Finds the nearest folder above this file that has a package.json. This code runs in
 * `src/process`, or in a compiled program in `dist`. Only this file knows how to find the project's
 * folder.
 */
function findProject(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}

const project = findProject();

/** The absolute path of a file. `name` is its path inside the project's folder. */
export const inProject = (name: string): string => path.join(project, name);
