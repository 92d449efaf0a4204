import { readFileSync } from 'node:fs';
import { inProject } from '../../src/process/project.ts';
import { run, start } from './command.ts';
import { blocksIn, type Kind, linesOf, pages } from './pages.ts';

/** The lines of a kind on the pages, each once. */
export const linesOfKind = (kind: Kind, of = pages) => [
  ...new Set(
    blocksIn('sh', of)
      .flatMap(linesOf)
      .filter((line) => line.kind === kind)
      .map(({ text }) => text),
  ),
];

/** The words of a command line, as a shell splits them. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Splits `npm run NAME -- ARGS` into the name and the arguments. */
export function partsOf(line: string) {
  const [, name = '', rest = ''] =
    /^npm (?:run )?([\w:-]+)(?: --prefix \S+)?(?: -- (.*))?$/.exec(line) ?? [];
  return { name, args: wordsOf(rest.replace(/ > [\w.]+$/, '')) };
}

export const { scripts } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));

/** The program of ours that an npm script of this name runs. Undefined if there is none. */
export const programOf = (name: string): string | undefined =>
  /(?:scripts|dist)\/[\w-]+\.[tj]s$/.exec(scripts[name] ?? '')?.[0];

/** The npm scripts that run a program of ours. */
export const programNames = Object.keys(scripts).filter((name) => programOf(name) !== undefined);

/** Runs the program of an npm script. The programs in `dist` are compiled already. */
export const runScript = (name: string, args: string[]) => {
  const program = programOf(name) ?? '';
  if (!program.startsWith('dist/')) return run(program, args);
  return start(process.execPath, [inProject(program), ...args], {});
};

/** The commands of the pages that have options, except those of the lessons. The slow tests run these. */
export function commandsWithOptions(): string[] {
  const readAlone = pages.filter(({ name }) => !/^workshop\/\d\d-/.test(name));
  return linesOfKind('npm', readAlone)
    .filter((line) => partsOf(line).args.length > 0)
    .filter((line) => programOf(partsOf(line).name) !== undefined);
}
