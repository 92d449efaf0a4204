import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { compile, inDist, put } from '../src/process/build.ts';
import { PlainError } from '../src/process/errors.ts';
import { runMain } from '../src/process/main.ts';
import { printsHelp } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { inProject } from '../src/process/project.ts';

const HELP = `Builds the package rowlock-client in dist/client, and packs it.

Usage: npm run pack:client

  --help             show this

Prints the name of the packed file. Install this file with npm install FILE.
`;

const OUT = inDist('client');

runMain(async () => {
  if (printsHelp('pack:client', HELP)) return 0;
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

/** One file for each entry point, and one for their common parts. React stays outside. */
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
