import { fileURLToPath } from 'node:url';

/**
 * A file of the project, by its path from the project's folder. That is one above this file, and as
 * well one above what `build.ts` makes of it: nothing else may ask where it stands itself.
 */
export const inProject = (name: string): string =>
  fileURLToPath(new URL(`../${name}`, import.meta.url));
