import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { compile, inDist, put } from '../src/platform/process/build.ts';
import { runCommand } from '../src/platform/process/command.ts';
import { PlainError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';
import { inProject } from '../src/platform/process/project.ts';

const OUT = inDist('client');

const command = {
  name: 'pack:client',
  purpose: 'Builds the package rowlock-client in dist/client, and packs it.',
  notes: 'Prints the name of the packed file. Install this file with npm install FILE.',
};

runCommand(command, async () => {
  // A file of an earlier build must not get into the package.
  rmSync(OUT, { recursive: true, force: true });
  put(await compileClient());
  run('tsc', ['-p', inProject('src/client')]);
  for (const name of ['package.json', 'README.md'])
    copyFileSync(inProject(path.join('src/client', name)), path.join(OUT, name));
  copyFileSync(inProject('LICENSE'), path.join(OUT, 'LICENSE'));
  const [packed] = JSON.parse(npmPack()) as { filename: string }[];
  print(`${path.join('dist', 'client', packed?.filename ?? '')}\n`);
  return 0;
});

/** Compiles a file for each entry point, and a file for their common parts. Leaves out React. */
function compileClient() {
  return compile({
    entryPoints: ['index.ts', 'react.ts'].map((name) => inProject(path.join('src/client', name))),
    outdir: OUT,
    splitting: true,
    chunkNames: 'common-[hash]',
    external: ['react'],
    platform: 'neutral',
    target: 'es2022',
  });
}

function npmPack(): string {
  return execFileSync('npm', ['pack', '--json'], { cwd: OUT, encoding: 'utf8' });
}

function run(program: string, args: string[]) {
  try {
    execFileSync(inProject(path.join('node_modules/.bin', program)), args, { encoding: 'utf8' });
  } catch (error) {
    throw new PlainError(String((error as { stdout?: string }).stdout));
  }
}
