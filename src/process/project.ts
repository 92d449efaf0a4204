import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The nearest folder above this file that has a package.json. This file may stand in `src/process`, or
 * be a part of a compiled program in `dist`. Nothing else may ask where it stands.
 */
function findProject(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}

const project = findProject();

/** A file of the project, by its path from the project's folder. */
export const inProject = (name: string): string => path.join(project, name);
