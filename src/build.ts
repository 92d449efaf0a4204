import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BuildResult, build } from 'esbuild';
import { describe, PlainError } from './errors.ts';
import { inProject } from './project.ts';

/** What node runs of a program that is served for long: `node ...programOf(file)`. */
export const programOf = (file: string) => ['--enable-source-maps', file];

/**
 * Compiles a program of ours, such as `src/server.ts`, to one file in `dist`, and gives its path. A
 * server that tsx compiles while it loads keeps a second thread for that, and 50 MB.
 */
export function buildProgram(entry: string): Promise<string> {
  const begun = built.get(entry) ?? buildAnew(entry);
  built.set(entry, begun);
  return begun;
}

const built = new Map<string, Promise<string>>();

async function buildAnew(entry: string): Promise<string> {
  const file = inProject(`dist/${path.basename(entry, '.ts')}.js`);
  const { outputFiles } = await compile(inProject(entry), file);
  try {
    for (const output of outputFiles) await writeWhole(output.path, output.contents);
  } catch (error) {
    throw new PlainError(`What ${entry} compiles to cannot be written: ${describe(error)}`);
  }
  return file;
}

const compile = (entry: string, outfile: string): Promise<BuildResult<{ write: false }>> =>
  build({
    ...{ entryPoints: [entry], outfile, write: false },
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx',
    sourcemap: 'linked',
    sourcesContent: false,
    tsconfigRaw: {},
  });

/** Several may start at once: each finds the whole file, and none writes what is there already. */
async function writeWhole(file: string, content: Uint8Array) {
  const present = await readFile(file).catch(() => undefined);
  if (present?.equals(content)) return;
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content);
  await rename(draft, file);
}
