import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { linkBare, linkFiles, programs } from '../../.ci/programs.mjs';
import { findOnPath } from '../../src/platform/process/find-on-path.ts';
import type { Need, NeedName } from './needs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    needs: Need[];
    /** The folder of the links to programs. */
    programFolder: string;
  }
}

/** The folder of the programs that every machine has. */
const BARE = 'bare';

/**
 * Makes a folder of links to the programs that every machine has, and a folder of links for each
 * need. The `PATH` of a test has only the folders of its tags. So a test that starts a program
 * without its tag fails, even on a machine that has the program.
 */
export function linkPrograms(needs: readonly Need[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'rowlock-test-programs-'));
  // If root runs the tests, PostgreSQL runs as another user, who must be able to read this folder.
  chmodSync(folder, 0o755);
  linkBare(path.join(folder, BARE));
  for (const { name, files, found } of needs) {
    // `found` may be a link. The other programs are in the folder of the real file.
    const beside = found && path.dirname(realpathSync(found));
    const find = (file: string) => (file === files[0] ? found : path.join(beside ?? '', file));
    linkFiles(path.join(folder, name), files, found === undefined ? undefined : find);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Lets this process find only these programs, and the programs that every machine has. */
export function usePrograms(names: readonly string[]) {
  const folderOf = (name: string) => path.join(inject('programFolder'), name);
  process.env.PATH = [...names, BARE].map(folderOf).join(path.delimiter);
  // The links lead to the files that these variables name.
  for (const program of programs) if ('variable' in program) delete process.env[program.variable];
}

/** Returns the path of a program. The running test must have the tag of the program. */
export function programFile(name: NeedName): string {
  const [file = ''] = programs.find((each) => each.name === name)?.files ?? [];
  const found = findOnPath(file);
  if (found === undefined)
    throw new Error(`This test starts ${file}. Add the option { tags: ['${name}'] } to the test.`);
  return found;
}
