import * as fs from 'node:fs';
import path from 'node:path';
import { type BuildFailure, type BuildOptions, build, formatMessages } from 'esbuild';
import { PlainError } from './errors.ts';
import { inProject } from './project.ts';

/**
 * The time for which a new build keeps the drafts of other builds, because these builds may still
 * run. A build needs its drafts for less than a second.
 */
const DRAFTS_LIVE_MS = 60_000;

/** A file for `dist`, with its absolute path. */
export interface Made {
  file: string;
  content: Uint8Array;
}

/** The arguments with which node runs a compiled program: `node ...programOf(file)`. */
export const programOf = (file: string) => ['--enable-source-maps', file];

/**
 * Compiles one program, such as `src/server.ts`, to one file in `dist`, and gives the path of this
 * file. We do not run a server with tsx, because tsx keeps a second thread and 50 MB in the
 * process.
 */
export function buildProgram(entry: string): Promise<string> {
  const begun = built.get(entry) ?? buildAnew(entry);
  built.set(entry, begun);
  // After a failure the next call tries again, because somebody may have corrected the source.
  begun.catch(() => built.delete(entry));
  return begun;
}

/**
 * Compiles the guard. Every command that runs from source and may start an embedded PostgreSQL
 * needs the compiled guard.
 */
export const buildGuard = () => buildProgram('src/platform/postgres/guard.ts');

const built = new Map<string, Promise<string>>();

async function buildAnew(entry: string): Promise<string> {
  put(await compilePrograms([entry]));
  return inDist(`${path.basename(entry, '.ts')}.js`);
}

export const inDist = (name: string) => inProject(path.join('dist', name));

/** Compiles each program to one file. This file does not include the modules in `without`. */
export const compilePrograms = (entries: string[], without: string[] = []) =>
  compile({
    entryPoints: entries.map(inProject),
    entryNames: '[name]',
    outdir: inDist(''),
    packages: 'external',
    external: without,
    platform: 'node',
    target: 'node20.19',
    jsxImportSource: 'hono/jsx',
    sourcemap: 'linked',
    sourcesContent: false,
  });

/** Compiles to files in memory. Throws a `PlainError` if the source does not compile. */
export async function compile(options: BuildOptions): Promise<Made[]> {
  const common = { bundle: true, format: 'esm', jsx: 'automatic', logLevel: 'silent' } as const;
  // Without `tsconfigRaw` esbuild would use the tsconfig of the type checker.
  const { outputFiles } = await build({
    ...common,
    ...options,
    tsconfigRaw: {},
    write: false,
  }).catch(explain);
  return outputFiles.map(({ path: file, contents }) => ({ file, content: contents }));
}

/** Throws an error that shows the lines that do not compile, without the stack of esbuild. */
async function explain(error: Partial<BuildFailure>): Promise<never> {
  if (!error.errors) throw error;
  const messages = await formatMessages(error.errors, { kind: 'error' });
  throw new PlainError(messages.join('').trim());
}

/**
 * Puts the files into `dist`, each by one rename. Programs that start during a build therefore find
 * every file complete. All drafts are written before the first rename, so a full disk leaves `dist`
 * unchanged. Only files that have changed are written, so a read-only `dist` is allowed if it is up
 * to date. Throws a `PlainError` if a file cannot be written.
 */
export function put(files: Made[]) {
  const changed = files.filter(({ file, content }) => !isAlready(file, content));
  if (changed.length === 0) return;
  let drafts: string | undefined;
  try {
    fs.mkdirSync(inDist(''), { recursive: true });
    removeOldDrafts();
    drafts = fs.mkdtempSync(inDist('.draft-'));
    for (const [index, { content }] of changed.entries())
      fs.writeFileSync(path.join(drafts, String(index)), content);
    for (const [index, { file }] of changed.entries()) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.renameSync(path.join(drafts, String(index)), file);
    }
  } catch (error) {
    const { dest = inDist('') } = error as { dest?: string };
    throw cannotWrite(dest, error);
  } finally {
    if (drafts) fs.rmSync(drafts, { recursive: true, force: true });
  }
}

/**
 * Removes the files below a folder of `dist` that this build did not make. Empty folders remain,
 * since another build may be about to fill them. Throws a `PlainError` if a file cannot be removed.
 */
export function removeOthers(folder: string, made: Made[]) {
  const kept = new Set(made.map(({ file }) => file));
  if (!fs.existsSync(inDist(folder))) return;
  for (const each of fs.readdirSync(inDist(folder), { recursive: true, withFileTypes: true })) {
    const file = path.join(each.parentPath, each.name);
    if (each.isDirectory() || kept.has(file)) continue;
    try {
      fs.rmSync(file, { force: true });
    } catch (error) {
      throw cannotWrite(file, error);
    }
  }
}

const cannotWrite = (file: string, error: unknown) =>
  new PlainError(`The build cannot write ${file} (${(error as NodeJS.ErrnoException).code}).`);

function isAlready(file: string, content: Uint8Array): boolean {
  try {
    return fs.readFileSync(file).equals(content);
  } catch {
    return false;
  }
}

/** Removes the drafts of builds that were killed. */
function removeOldDrafts() {
  for (const name of fs.readdirSync(inDist('')).filter((each) => each.startsWith('.draft-'))) {
    const made = fs.statSync(inDist(name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - made > DRAFTS_LIVE_MS)
      fs.rmSync(inDist(name), { recursive: true, force: true });
  }
}
