import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { programFolders } from './environment.ts';

/**
 * Returns the file of a program. `name` is a path, or a name on the PATH. Returns undefined if
 * there is no such program.
 */
export function findOnPath(name: string, searched = programFolders()): string | undefined {
  const folders = name.includes(path.sep) ? [''] : searched.split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
