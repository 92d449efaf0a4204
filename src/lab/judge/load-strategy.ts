import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { ownPromises, ownTimers } from '../../explorer/timers.ts';
import { UsageError } from '../../platform/process/errors.ts';
import { inProject } from '../../platform/process/project.ts';
import type { Chapter } from '../chapter.ts';
import { type Addressed, chapters } from '../chapters/index.ts';
import { assertCode, inFolder, keepSourceMap, lineAbout } from './place.ts';

const source = inProject('src');

export interface Loaded extends Addressed {
  /** Whether the chapter is a guess, since nothing in the export tells the chapter. */
  isGuess: boolean;
}

/**
 * Loads the strategy in the default export of a TypeScript file anywhere on the disk. The file may
 * import `rowlock/…` (this project's src), the packages of the project, and files of its own. If
 * the file does not compile or load, throws a `UsageError` of one line, with the line of the file.
 * If the caller does not know the chapter, the export tells the chapter.
 */
export async function loadStrategy(asked: Chapter | undefined, file: string): Promise<Loaded> {
  assertCode(file);
  const entry = path.resolve(file);
  const { code, imports } = await compile(entry, file);
  const { evaluate, exported } = await load(entry, code, imports).catch((error) => {
    throw new UsageError(missingPackage(error, imports, file) ?? lineAbout(error, file));
  });
  const name = path.basename(file).replace(/\.\w+$/, '');
  const told = asked ?? chapters.find(({ entry }) => hasFunction(exported, entry));
  const chapter = told ?? chapters[0];
  const strategy = chapter.strategyOf(exported, name, evaluate);
  if (strategy) return { chapter, strategy, isGuess: told === undefined };
  throw new UsageError(
    `${inFolder(file)} has no default export that is a strategy of ${chapter.name}: ${chapter.example}`,
  );
}

/** Whether the export is a function of this name, or an object with such a function. */
const hasFunction = (exported: unknown, name: string): boolean =>
  typeof exported === 'function'
    ? exported.name === name
    : typeof exported === 'object' && exported !== null && name in exported;

/**
 * Compiles the file into one script. A script can be evaluated many times, and a module only once.
 * Each process of a trial evaluates the script, so the variables of the file die with the process.
 */
async function compile(entry: string, file: string) {
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [entry],
      outfile: entry,
      write: false,
      metafile: true,
      sourcemap: 'external',
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      // The name of the function tells the chapter. Without this option, esbuild renames the
      // function if another file has the same name.
      keepNames: true,
      logLevel: 'silent',
      plugins: [projectStaysOutside],
    });
    const outputs = Object.values(metafile.outputs);
    const [map, script] = outputFiles;
    keepSourceMap(entry, map?.text ?? '{}');
    return {
      code: script?.text ?? '',
      imports: outputs.flatMap(({ imports }) => imports.map((each) => each.path)),
    };
  } catch (error) {
    const { errors = [] } = error as { errors?: { text: string; location?: Location | null }[] };
    const [first] = errors;
    const { location, text = firstLine(error) } = first ?? {};
    const isOwn = !location || path.resolve(location.file) === entry;
    const where = isOwn ? inFolder(file) : inFolder(path.resolve(location.file));
    throw new UsageError(`${location ? `${where}:${location.line}` : where}: ${text}`);
  }
}

/**
 * Returns one line about an import of a package that the project does not have. Returns undefined
 * for other errors.
 */
function missingPackage(error: unknown, imports: string[], file: string): string | undefined {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  const missing = imports.find((name) => message?.includes(`'${name}'`));
  if (code !== 'ERR_MODULE_NOT_FOUND' || missing === undefined) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((line) => /['"](.+)['"]/.exec(line)?.[1] === missing);
  const where = at < 0 ? inFolder(file) : `${inFolder(file)}:${at + 1}`;
  return `${where}: the project has no package ${missing}.`;
}

/**
 * Evaluates the script. The function `evaluate` evaluates the script again, and returns the default
 * export.
 */
async function load(entry: string, code: string, imports: string[]) {
  const modules = new Map<string, object>();
  // `__esModule` tells the script that the default import is the export `default`.
  for (const name of imports)
    modules.set(name, { __esModule: true, ...(await import(name)), ...OWN[name] });
  const parameters = ['module', 'require', ...Object.keys(ownTimers)];
  const script = compileFunction(code, parameters, { filename: entry });
  const evaluate = (): unknown => {
    const module: { exports: { default?: unknown } } = { exports: {} };
    script(module, (name: string) => modules.get(name), ...Object.values(ownTimers));
    return module.exports.default;
  };
  return { evaluate, exported: evaluate() };
}

/** The functions that the file gets in place of functions of Node.js, by the name of the module. */
const OWN: Record<string, object> = {
  timers: ownTimers,
  'node:timers': ownTimers,
  'timers/promises': ownPromises,
  'node:timers/promises': ownPromises,
};

interface Location {
  /** The path from the current folder. */
  file: string;
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

const outside = (file: string) =>
  existsSync(file)
    ? { path: pathToFileURL(file).href, external: true }
    : { errors: [{ text: `There is no ${file}` }] };

const firstLine = (error: unknown) =>
  String((error as Error | undefined | null)?.message ?? error).split('\n')[0];
