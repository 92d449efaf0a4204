import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The nearest folder above this file that has a package.json. This file may be in `src/process`, or
 * in a compiled program in `dist`. All other files ask here for the project's folder.
 */
function findProject(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}

const project = findProject();

/** A file of the project, by its path from the project's folder. */
export const inProject = (name: string): string => path.join(project, name);
