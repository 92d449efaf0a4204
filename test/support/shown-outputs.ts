import { expect, inject } from 'vitest';
import { run, runServer } from './command.ts';
import { makeDatabase } from './database.ts';
import { partsOf, programOf } from './npm-scripts.ts';
import { blocksIn, commandBefore } from './pages.ts';

/** The outputs of npm scripts that the pages show, each with its command. */
export const shownOutputs = blocksIn('text')
  .filter((block) => commandBefore(block).kind === 'npm')
  .map((block) => ({ ...block, ...partsOf(commandBefore(block).text) }));

/** Replaces numbers and spaces in a line. The numbers of a race differ from run to run. */
const inShape = (line: string) => line.replaceAll(/\d+/g, 'N').replaceAll(/\s+/g, ' ').trim();

/** Runs a command, which must end with the exit code 0. Returns its output. */
async function outputOf(name: string, args: string[]): Promise<string> {
  const command = run(programOf(name) ?? '', args, { DATABASE_URL: inject('scratchUrl') });
  expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
  return command.stdout();
}

/** Returns the output of `npm start` until the server listens. Replaces its port with 3000. */
async function outputOfStart(): Promise<string> {
  const server = runServer({ DATABASE_URL: await makeDatabase() });
  await server.says(/^Ctrl-C/m);
  return server.stdout().replaceAll(/(127\.0\.0\.1):\d+/g, '$1:3000');
}

/** Asserts that the command of a shown output prints each shown line. */
export async function expectShown({ name, args, text }: (typeof shownOutputs)[number]) {
  const output = name === 'start' ? outputOfStart() : outputOf(name, args);
  const same = name === 'race-demo' ? inShape : (line: string) => line;
  const said = (await output).split('\n').map(same);
  // An ellipsis stands for lines that a page leaves out.
  const shown = text
    .trimEnd()
    .replaceAll(/^…$\n?/gm, '')
    .split('\n')
    .map(same);
  expect(shown.filter((line) => !said.includes(line))).toEqual([]);
}
