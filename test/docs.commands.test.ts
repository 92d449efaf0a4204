import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { settingNames } from '../src/config.ts';
import { inProject } from '../src/process/project.ts';
import { makeTmpDir, run, runServer, runSource, start } from './support/command.ts';
import { makeDatabase } from './support/database.ts';
import { blocksIn, commandBefore, type Kind, linesOf } from './support/pages.ts';

const linesOfKind = (kind: Kind) => [
  ...new Set(
    blocksIn('sh')
      .flatMap(linesOf)
      .filter((line) => line.kind === kind)
      .map(({ text }) => text),
  ),
];

/** Splits `npm run NAME -- ARGS` into the name and the arguments. */
function partsOf(line: string) {
  const [, name = '', rest = ''] = /^npm (?:run )?([\w:-]+)(?: -- (.*))?$/.exec(line) ?? [];
  const args = rest.replace(/ > .*$/, '').split(' ');
  return { name, args: args.filter((each) => each !== '') };
}

const { scripts } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));

/** The program of ours that an npm script of this name runs. Undefined if there is none. */
const programOf = (name: string): string | undefined =>
  /(?:scripts|dist)\/[\w-]+\.[tj]s$/.exec(scripts[name] ?? '')?.[0];

/** Runs the program of an npm script. The programs in `dist` are compiled already. */
const runScript = (name: string, args: string[]) => {
  const program = programOf(name) ?? '';
  if (!program.startsWith('dist/')) return run(program, args);
  return start(process.execPath, [inProject(program), ...args], {});
};

describe('each command', () => {
  test.each(linesOfKind('npm'))('%s is there', (line) => {
    const { name } = partsOf(line);
    expect(['ci', ...Object.keys(scripts)]).toContain(name);
  });

  const withOptions = linesOfKind('npm').filter((line) => partsOf(line).args.length > 0);
  const ours = withOptions.filter((line) => programOf(partsOf(line).name) !== undefined);
  // A command reads all its options before it prints its help.
  test.concurrent.each(ours)('%s takes its options', async (line) => {
    const { name, args } = partsOf(line);
    const command = runScript(name, [...args, '--help']);
    expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
    expect(command.stdout()).toContain(`npm run ${name}`);
  });

  const programs = Object.keys(scripts).filter((name) => programOf(name) !== undefined);
  test.concurrent.each(programs)(
    'npm run %s has a help, and refuses a wrong option',
    async (name) => {
      const help = runScript(name, ['--help']);
      expect(await help.ended, help.stderr()).toEqual({ code: 0, signal: null });
      expect(help.stdout()).toMatch(new RegExp(`^Usage: npm (run )?${name}\\b`, 'm'));
      const wrong = runScript(name, ['--bogus']);
      expect(await wrong.ended).toEqual({ code: 2, signal: null });
      expect([wrong.stdout(), wrong.stderr()]).toEqual([
        '',
        `Unknown option '--bogus'. See: npm run ${name} -- --help\n`,
      ]);
    },
  );

  test.each(linesOfKind('vitest'))('%s finds its tests', (line) => {
    expect(existsSync(inProject(line.split(' ').at(-1) ?? ''))).toBe(true);
  });

  test.each(linesOfKind('script'))('%s is there, and has a help', async (line) => {
    const script = line.split(' ')[0] ?? '';
    const help = start(inProject(script), ['--help'], {});
    expect(await help.ended, help.stderr()).toEqual({ code: 0, signal: null });
    expect(help.stdout()).toContain(`Usage: ${script} `);
    const wrong = start(inProject(script), [], {});
    expect((await wrong.ended).code).toBe(2);
  });

  test.each(linesOfKind('setting'))('%s makes a setting', (line) => {
    expect(settingNames).toContain(/^export (\w+)=/.exec(line)?.[1]);
  });
});

/** Replaces numbers and spaces in a line. The numbers of a race differ from run to run. */
const inShape = (line: string) => line.replaceAll(/\d+/g, 'N').replaceAll(/\s+/g, ' ').trim();

/** The strategies on the pages. Each strategy is in a file with the name that its block has. */
const folder = makeTmpDir();
const shownFiles = new Map(
  blocksIn('ts')
    .filter(({ tag }) => tag !== '')
    .map(({ tag, text }) => [tag, { file: path.join(folder, tag), text }]),
);
for (const { file, text } of shownFiles.values()) writeFileSync(file, text);

/** The output of a command that ends by itself, and ends well. */
async function outputOf(name: string, args: string[]): Promise<string> {
  const files = args.map((each) => shownFiles.get(each)?.file ?? each);
  const env = { DATABASE_URL: inject('scratchUrl') };
  const command =
    name === 'judge'
      ? runSource('scripts/judge.ts', files, env)
      : run(programOf(name) ?? '', files, env);
  expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
  return command.stdout();
}

/** The output of `npm start` until it serves. The test's server has another port. */
async function outputOfStart(): Promise<string> {
  const server = runServer({ DATABASE_URL: await makeDatabase() });
  await server.says(/^Ctrl-C/m);
  return server.stdout().replaceAll(/(127\.0\.0\.1):\d+/g, '$1:3000');
}

test.each(blocksIn('text'))('the output at $at is that of its command', async (block) => {
  const { name, args } = partsOf(commandBefore(block).text);
  const output = name === 'start' ? outputOfStart() : outputOf(name, args);
  const same = name === 'race-demo' ? inShape : (line: string) => line;
  const said = (await output).split('\n').map(same);
  // An ellipsis stands for lines that a page leaves out.
  const shown = block.text
    .trimEnd()
    .replaceAll(/^…$\n?/gm, '')
    .split('\n')
    .map(same);
  expect(shown.filter((line) => !said.includes(line))).toEqual([]);
});

test('every strategy that a page shows is judged there', () => {
  const outputs = blocksIn('text').map((block) => commandBefore(block).text);
  const judged = outputs.map((line) => /^npm run judge -- (\S+)/.exec(line)?.[1]);
  for (const name of shownFiles.keys()) expect(judged).toContain(name);
});
