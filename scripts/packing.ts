import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { inDist, type Made, put } from '../src/platform/process/build.ts';
import { PlainError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';
import { inProject } from '../src/platform/process/project.ts';

/** A package for npm that is built in a folder of `dist`. */
export interface Package {
  /** The name of the folder in `dist`. */
  folder: string;
  /** Compiles the code of the package. */
  compile(): Promise<Made[]>;
  /** The folder whose tsconfig.json makes the types. */
  types: string;
  /** Files and folders of the project to copy, with their names in the package. */
  copies: Record<string, string>;
  /** Called before the package is packed. */
  finish?(out: string): void;
}

/** Builds a package, packs it, and prints the name of the packed file. */
export async function pack({ folder, compile, types, copies, finish }: Package): Promise<number> {
  const out = inDist(folder);
  // A file of an earlier build must not get into the package.
  rmSync(out, { recursive: true, force: true });
  put(await compile());
  run('tsc', ['-p', inProject(types)]);
  for (const [from, to] of Object.entries({ ...copies, LICENSE: 'LICENSE' }))
    cpSync(inProject(from), path.join(out, to), { recursive: true });
  finish?.(out);
  const [packed] = JSON.parse(npmPack(out)) as { filename: string }[];
  print(`${path.join('dist', folder, packed?.filename ?? '')}\n`);
  return 0;
}

const npmPack = (folder: string): string =>
  execFileSync('npm', ['pack', '--json'], { cwd: folder, encoding: 'utf8' });

function run(program: string, args: string[]) {
  try {
    execFileSync(inProject(path.join('node_modules/.bin', program)), args, { encoding: 'utf8' });
  } catch (error) {
    throw new PlainError(String((error as { stdout?: string }).stdout));
  }
}
