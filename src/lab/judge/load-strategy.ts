import { mkdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { UsageError } from '../../process/errors.ts';
import { inProject } from '../../process/project.ts';
import type { Chapter } from '../chapter.ts';
import type { Addressed } from '../chapters/index.ts';

const source = inProject('src');

/**
 * Loads the strategy in the default export of a TypeScript file anywhere on the disk. The file may
 * import `rowlock/…` (this project's src), the packages of the project, and files of its own. Throws a
 * `UsageError` if the file does not compile or load.
 */
export async function loadStrategy(chapter: Chapter, file: string): Promise<Addressed> {
  const entry = path.resolve(file);
  const found = statSync(entry, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`There is no file ${file}.`);
  if (!found.isFile() || !/\.[cm]?[jt]sx?$/.test(file))
    throw new UsageError(`${file} is no TypeScript or JavaScript file.`);
  const output = compiledBy(process.pid);
  mkdirSync(path.dirname(output), { recursive: true });
  try {
    await compile(entry, output);
    const loaded: { default?: unknown } = await import(pathToFileURL(output).href).catch(
      (error) => {
        throw new UsageError(`${file} cannot be loaded: ${firstLine(error)}`);
      },
    );
    const name = path.basename(file).replace(/\.\w+$/, '');
    const strategy = chapter.strategyOf(loaded.default, name);
    if (strategy) return { chapter, strategy };
    throw new UsageError(
      `${file} has no default export that is a strategy of ${chapter.name}: ${chapter.example}`,
    );
  } finally {
    rmSync(output, { force: true });
  }
}

/**
 * The compiled file of a judging process. The file is inside the project, since Node.js finds the
 * project's packages only from there.
 */
export const compiledBy = (pid: number | undefined) =>
  inProject(`node_modules/.rowlock/judged-${pid}.mjs`);

async function compile(entry: string, output: string) {
  try {
    await build({
      entryPoints: [entry],
      outfile: output,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      sourcemap: 'inline',
      logLevel: 'silent',
      plugins: [projectStaysOutside],
    });
  } catch (error) {
    const { errors = [] } = error as { errors?: { text: string; location?: Location | null }[] };
    const [first] = errors;
    const at = first?.location ? ` (line ${first.location.line})` : '';
    throw new UsageError(`${entry} does not compile: ${first?.text ?? firstLine(error)}${at}`);
  }
}

interface Location {
  line: number;
}

/**
 * Keeps the project's modules out of the compiled file. The strategy must import the modules that
 * the judge itself uses, and not copies of them.
 */
const projectStaysOutside: Plugin = {
  name: 'project-stays-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^rowlock\// }, ({ path: name }) =>
      outside(path.join(source, name.slice(8))),
    );
    onResolve({ filter: /^[./]/ }, ({ path: name, resolveDir, kind }) => {
      const file = path.resolve(resolveDir, name);
      if (kind === 'entry-point' || !file.startsWith(source + path.sep)) return undefined;
      return outside(file);
    });
  },
};

const outside = (file: string) => ({ path: pathToFileURL(file).href, external: true });

const firstLine = (error: unknown) =>
  String((error as Error | undefined | null)?.message ?? error).split('\n')[0];
