import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BuildFailure, type BuildResult, build, formatMessages } from 'esbuild';
import { PlainError } from './errors.ts';
import { inProject } from './project.ts';

/** What node runs of a program that is served for long: `node ...programOf(file)`. */
export const programOf = (file: string) => ['--enable-source-maps', file];

/**
 * Compiles a program of ours, such as `src/server.ts`, to one file in `dist`, and gives its path. A
 * server that tsx compiles while it loads keeps a second thread for that, and 50 MB. Throws a
 * `PlainError` when it does not compile, or cannot be written.
 */
export function buildProgram(entry: string): Promise<string> {
  const begun = built.get(entry) ?? buildAnew(entry);
  built.set(entry, begun);
  // Who asks after a failure may have mended its cause.
  begun.catch(() => built.delete(entry));
  return begun;
}

const built = new Map<string, Promise<string>>();

async function buildAnew(entry: string): Promise<string> {
  const file = inProject(`dist/${path.basename(entry, '.ts')}.js`);
  const { outputFiles } = await compile(inProject(entry), file).catch(explain);
  try {
    for (const output of outputFiles) await writeWhole(output.path, output.contents);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PlainError(`What ${entry} compiles to cannot be written to ${file} (${code}).`);
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
    logLevel: 'silent',
  });

/** With the lines of ours that do not compile, and not with esbuild's own. */
async function explain(error: Partial<BuildFailure>): Promise<never> {
  if (!error.errors) throw error;
  const messages = await formatMessages(error.errors, { kind: 'error' });
  throw new PlainError(messages.join('').trim());
}

/** Several may start at once: each finds the whole file, and none writes what is there already. */
async function writeWhole(file: string, content: Uint8Array) {
  const present = await readFile(file).catch(() => undefined);
  if (present?.equals(content)) return;
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  try {
    await writeFile(draft, content);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
