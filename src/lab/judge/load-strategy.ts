import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { UsageError } from '../../process/errors.ts';
import { inProject } from '../../process/project.ts';
import type { Strategy } from '../chapters/claims/strategy.ts';

const source = inProject('src');

/**
 * Loads a strategy from a TypeScript file anywhere on the disk: its default export, a strategy or a
 * claim function alone. It may import `rowlock/…` (this project's src), the packages that the
 * project has, and files of its own. Throws a `UsageError` when it does not compile or load.
 */
export async function loadStrategy(file: string): Promise<Strategy> {
  const entry = path.resolve(file);
  if (!existsSync(entry)) throw new UsageError(`There is no file ${file}.`);
  const output = compiledBy(process.pid);
  mkdirSync(path.dirname(output), { recursive: true });
  try {
    await compile(entry, output);
    const loaded: { default?: unknown } = await import(pathToFileURL(output).href).catch(
      (error) => {
        throw new UsageError(`${file} cannot be loaded: ${firstLine(error)}`);
      },
    );
    return asStrategy(loaded.default, file);
  } finally {
    rmSync(output, { force: true });
  }
}

/** Where a process compiles to: inside the project, so that the packages are found from there. */
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

/** What a strategy imports of the project must be the project's own, not a second copy of it. */
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

function asStrategy(exported: unknown, file: string): Strategy {
  const name = path.basename(file).replace(/\.\w+$/, '');
  const usual = { name, idea: '', promise: 'capacity' } as const;
  if (typeof exported === 'function') return { ...usual, claim: exported as Strategy['claim'] };
  if (typeof exported === 'object' && exported && 'claim' in exported) {
    // Bound, and not spread: an instance of a class has its methods on the prototype.
    const { claim, ...given } = exported as Strategy;
    if (typeof claim === 'function') return { ...usual, ...given, claim: claim.bind(exported) };
  }
  throw new UsageError(
    `${file} has no default export that is a strategy: export default { claim(db, request) { … } }`,
  );
}

const firstLine = (error: unknown) =>
  String((error as Error | undefined | null)?.message ?? error).split('\n')[0];
