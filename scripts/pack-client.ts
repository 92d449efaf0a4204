import path from 'node:path';
import { compile, inDist } from '../src/platform/process/build.ts';
import { runCommand } from '../src/platform/process/command.ts';
import { inProject } from '../src/platform/process/project.ts';
import { pack } from './packing.ts';

const FOLDER = 'src/client';

const command = {
  name: 'pack:client',
  purpose: 'Builds the package rowlock-client in dist/client, and packs it.',
  notes: 'Prints the name of the packed file. Install this file with npm install FILE.',
};

runCommand(command, () =>
  pack({
    folder: 'client',
    compile: compileClient,
    types: FOLDER,
    copies: {
      [`${FOLDER}/package.json`]: 'package.json',
      [`${FOLDER}/README.md`]: 'README.md',
    },
  }),
);

/** Compiles a file for each entry point, and a file for their common parts. Leaves out React. */
function compileClient() {
  return compile({
    entryPoints: ['index.ts', 'react.ts'].map((name) => inProject(path.join(FOLDER, name))),
    outdir: inDist('client'),
    splitting: true,
    chunkNames: 'common-[hash]',
    external: ['react'],
    platform: 'neutral',
    target: 'es2022',
  });
}
