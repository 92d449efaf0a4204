import { statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { UsageError } from '../../process/errors.ts';
import { inProject } from '../../process/project.ts';
import type { Chapter } from '../chapter.ts';
import type { Addressed } from '../chapters/index.ts';
import { ownPromises, ownTimers } from '../explore/timers.ts';

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
  const { code, imports } = await compile(entry);
  const { evaluate, exported } = await load(code, imports).catch((error) => {
    throw new UsageError(`${file} cannot be loaded: ${firstLine(error)}`);
  });
  const name = path.basename(file).replace(/\.\w+$/, '');
  const strategy = chapter.strategyOf(exported, name, evaluate);
  if (strategy) return { chapter, strategy };
  throw new UsageError(
    `${file} has no default export that is a strategy of ${chapter.name}: ${chapter.example}`,
  );
}

/**
 * Compiles the file into one script. A script can be evaluated many times, and a module only once. Each
 * process of a trial evaluates the script, so the variables of the file die with the process.
 */
async function compile(entry: string) {
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [entry],
      write: false,
      metafile: true,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      logLevel: 'silent',
      plugins: [projectStaysOutside],
    });
    const outputs = Object.values(metafile.outputs);
    return {
      code: outputFiles[0]?.text ?? '',
      imports: outputs.flatMap(({ imports }) => imports.map((each) => each.path)),
    };
  } catch (error) {
    const { errors = [] } = error as { errors?: { text: string; location?: Location | null }[] };
    const [first] = errors;
    const at = first?.location ? ` (line ${first.location.line})` : '';
    throw new UsageError(`${entry} does not compile: ${first?.text ?? firstLine(error)}${at}`);
  }
}

/** Evaluates the script. `evaluate` does so again, and returns the default export. */
async function load(code: string, imports: string[]) {
  const modules = new Map<string, object>();
  // `__esModule` tells the script that the default import is the export `default`.
  for (const name of imports)
    modules.set(name, { __esModule: true, ...(await import(name)), ...OWN[name] });
  const script = compileFunction(code, ['module', 'require', ...Object.keys(ownTimers)]);
  const evaluate = (): unknown => {
    const module: { exports: { default?: unknown } } = { exports: {} };
    script(module, (name: string) => modules.get(name), ...Object.values(ownTimers));
    return module.exports.default;
  };
  return { evaluate, exported: evaluate() };
}

/** The functions that the file gets in place of those of Node.js, by the name of their module. */
const OWN: Record<string, object> = {
  timers: ownTimers,
  'node:timers': ownTimers,
  'timers/promises': ownPromises,
  'node:timers/promises': ownPromises,
};

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
