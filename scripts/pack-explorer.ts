import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile, inDist } from '../src/platform/process/build.ts';
import { runCommand } from '../src/platform/process/command.ts';
import { inProject } from '../src/platform/process/project.ts';
import { pack } from './packing.ts';

const command = {
  name: 'pack:explorer',
  purpose: 'Builds the package rowlock-explorer in dist/explorer, and packs it.',
  notes: 'Prints the name of the packed file. Install this file with npm install FILE.',
};

/**
 * The programs of the package. The engine finds `dist` in the folder of the package, as it finds
 * `dist` in the folder of this project.
 */
const PROGRAMS = {
  index: 'src/explorer/package/index.ts',
  command: 'src/explorer/command/main.ts',
  'dist/module-host': 'src/explorer/package/module-host.ts',
  'dist/guard': 'src/platform/postgres/guard.ts',
};

/** Matches the import of another file of types. */
const IMPORT = /from '(\.\/[\w-]+)\.ts'/g;

runCommand(command, () =>
  pack({
    folder: 'explorer',
    compile: compileExplorer,
    types: 'src/explorer/package',
    copies: {
      'src/explorer/package.json': 'package.json',
      'docs/explorer-package.md': 'README.md',
      'examples/explorer': 'examples',
      'drizzle/lab/time/0000_time.sql': 'drizzle/lab/time/0000_time.sql',
      'drizzle/lab/time/0001_further_clocks.sql': 'drizzle/lab/time/0001_further_clocks.sql',
    },
    finish,
  }),
);

function compileExplorer() {
  return compile({
    entryPoints: Object.entries(PROGRAMS).map(([out, file]) => ({ in: inProject(file), out })),
    outdir: inDist('explorer'),
    splitting: true,
    chunkNames: 'common-[hash]',
    packages: 'external',
    platform: 'node',
    target: 'node20.19',
  });
}

function finish(out: string) {
  keepTypes(out);
  mendLinks(path.join(out, 'README.md'));
  chmodSync(path.join(out, 'command.js'), 0o755);
}

/** Points the links at the examples of the package. A link to another page becomes plain text. */
function mendLinks(file: string) {
  const text = readFileSync(file, 'utf8').replaceAll('(../examples/explorer', '(examples');
  writeFileSync(file, text.replace(/\[([^\]]+)\]\((?!https:|examples)[^)]+\)/g, '$1'));
}

/** Keeps the types that the package shows, and drops the types of the engine. */
function keepTypes(out: string) {
  const emitted = path.join(out, 'emitted');
  for (const [file, text] of reachable(path.join(emitted, 'explorer/package/index.d.ts')))
    writeFileSync(path.join(out, path.basename(file)), text);
  rmSync(emitted, { recursive: true });
}

/** Returns the files of types that `file` imports, with `file` itself. */
function reachable(file: string, known = new Map<string, string>()): Map<string, string> {
  if (known.has(file)) return known;
  const text = readFileSync(file, 'utf8');
  known.set(file, text);
  for (const [, name] of text.matchAll(IMPORT))
    reachable(path.join(path.dirname(file), `${name}.d.ts`), known);
  return known;
}
