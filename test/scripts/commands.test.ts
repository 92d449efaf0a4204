import { existsSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { type Command, helpOf, readArguments } from '../../src/platform/process/command.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { commandsWithOptions, partsOf, programNames, programOf } from '../support/npm-scripts.ts';

/** The commands whose files were imported. */
const defined = new Map<string, Command>();

// An import of a command's file runs the command. With this mock, it only defines the command.
vi.mock('../../src/platform/process/command.ts', async (load) => ({
  ...(await load<object>()),
  runCommand: (command: Command) => void defined.set(command.name, command),
}));

/** Returns the command behind an npm script. */
async function commandOf(name: string): Promise<Command> {
  await import(inProject(sourceOf(name)));
  const command = defined.get(name);
  if (!command) throw new Error(`the file of npm run ${name} defines no command of this name`);
  return command;
}

function sourceOf(name: string): string {
  if (name === 'build') return 'scripts/build.ts';
  const program = (programOf(name) ?? '').replace(/^dist\/(.*)\.js$/, 'src/$1.ts');
  return existsSync(inProject(program)) ? program : program.replace(/^src/, 'scripts');
}

const read = async (name: string, args: string[]) => readArguments(await commandOf(name), args);

// `version` is plain JavaScript. test/docs.commands.test.ts runs it.
describe.each(programNames.filter((name) => name !== 'version'))('npm run %s', (name) => {
  test('has a help text that fits a screen of 88 columns', async () => {
    const help = helpOf(await commandOf(name));
    expect(help).toMatch(new RegExp(`^Usage: npm run ${name}\\b`, 'm'));
    // A command line may be longer, because it cannot be wrapped.
    const lines = help.split('\n').filter((line) => !/^(Usage: | {7})npm run /.test(line));
    expect(lines.filter((line) => line.length > 88)).toEqual([]);
  });

  test('refuses a wrong option in one line', async () => {
    const words = `Unknown option '--bogus'. See: npm run ${name} -- --help`;
    await expect(read(name, ['--bogus'])).rejects.toThrow(new Error(words));
  });
});

test.each(commandsWithOptions())(
  'the command accepts the options of this line: %s',
  async (line) => {
    const { name, args } = partsOf(line);
    await expect(read(name, args)).resolves.toHaveProperty('options');
  },
);

test.each([
  ['bench', ['--rounds', '0'], '--rounds must be a whole number from 1 to 100'],
  ['bench', ['--seconds', '0'], '--seconds must be a number from 0.1 to 600'],
  ['bench', ['--seconds', 'long'], '--seconds must be a number from 0.1 to 600'],
  [
    'bench',
    ['--scenario', 'flood'],
    '--scenario must be one of spread, hot, beside, impossible, alone, size, memory, followers, servers, endpoints, line, queue, held',
  ],
  ['bench', ['extra'], "Unexpected argument 'extra'"],
  ['explore', ['--isolation', ''], '--isolation needs a folder'],
  [
    'faults',
    ['--scenario', 'flood'],
    '--scenario must be one of backends, server, postgres, servers, line, failover, soak, workers',
  ],
  ['faults', ['--kills', '0'], '--kills must be a whole number from 1 to 100000'],
  ['faults', ['--servers', '1'], '--servers must be a whole number from 2 to 8'],
  ['faults', ['--tasks', '99'], '--tasks must be a whole number from 100 to 1000000'],
  ['race-demo', ['--rounds', '-1'], "Option '--rounds' argument is ambiguous"],
  ['race-demo', ['--rounds'], "Option '--rounds <value>' argument missing"],
  ['race-demo', ['--recruiters', 'many'], '--recruiters must be a whole number from 1 to 1000'],
  ['race-demo', ['--capacity', '1e3'], '--capacity must be a whole number from 1 to 1000'],
  ['race-demo', ['--url', 'localhost'], '--url must look like http://127.0.0.1:3000'],
  ['race-demo', ['--trace', ''], '--trace needs a file'],
  ['token', ['--role', 'owner'], '--role must be recruiter, company or admin'],
])('npm run %s refuses %j', async (name, args, words) => {
  await expect(read(name, args)).rejects.toThrow(words);
});
