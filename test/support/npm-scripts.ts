import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { run, start } from './command.ts';
import { blocksIn, type Kind, linesOf, pages } from './pages.ts';

/** Returns the lines of a kind on the pages, without repeats. */
export const linesOfKind = (kind: Kind, of = pages) => [
  ...new Set(
    blocksIn('sh', of)
      .flatMap(linesOf)
      .filter((line) => line.kind === kind)
      .map(({ text }) => text),
  ),
];

/** Returns the words of a command line, as a shell splits them. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Splits `npm run NAME -- ARGS` into the name and the arguments. */
export function partsOf(line: string) {
  const [, name = '', rest = ''] =
    /^npm (?:run )?([\w:-]+)(?: --prefix \S+)?(?: -- (.*))?$/.exec(line) ?? [];
  return { name, args: wordsOf(rest.replace(/ > [\w.]+$/, '')) };
}

export const { scripts } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));

/** Returns the line of an npm script without its check of the installed packages. */
const lineOf = (name: string): string =>
  (scripts[name] ?? '').replace(/^node scripts\/ready\.mjs && /, '');

/** Returns the program of ours that an npm script runs. Returns undefined if it runs none. */
export const programOf = (name: string): string | undefined =>
  /(?:scripts|dist)\/[\w-]+\.m?[tj]s\b/.exec(lineOf(name))?.[0];

/** The npm scripts that run a program of ours. */
export const programNames = Object.keys(scripts).filter((name) => programOf(name) !== undefined);

/**
 * Runs the program of an npm script. The programs in `dist` are compiled already. Programs in plain
 * JavaScript are started as npm does it, with the whole line of package.json.
 */
export const runScript = (name: string, args: string[]) => {
  const program = programOf(name) ?? '';
  if (program.endsWith('.mjs'))
    return start('sh', ['-c', `exec ${scripts[name]} "$@"`, 'sh', ...args], {});
  if (!program.startsWith('dist/')) return run(program, args);
  return start(process.execPath, [inProject(program), ...args], {});
};

/** Asserts that the script refuses a wrong option with one line and the exit code 2. */
export async function expectRefusal(name: string) {
  const wrong = runScript(name, ['--bogus']);
  expect(await wrong.ended).toEqual({ code: 2, signal: null });
  expect([wrong.stdout(), wrong.stderr()]).toEqual([
    '',
    `Unknown option '--bogus'. See: npm run ${name} -- --help\n`,
  ]);
}

/** Asserts that the script prints its help on stdout, with the exit code 0. */
export async function expectHelp(name: string) {
  const help = runScript(name, ['--help']);
  expect(await help.ended, help.stderr()).toEqual({ code: 0, signal: null });
  expect(help.stdout()).toContain(`\nUsage: npm run ${name}`);
}

/**
 * Returns the commands with options on all pages except the lessons. A campaign runs the commands
 * of the lessons.
 */
export function commandsWithOptions(): string[] {
  const readAlone = pages.filter(({ name }) => !/^workshop\/\d\d-/.test(name));
  return linesOfKind('npm', readAlone)
    .filter((line) => partsOf(line).args.length > 0)
    .filter((line) => programOf(partsOf(line).name) !== undefined);
}
