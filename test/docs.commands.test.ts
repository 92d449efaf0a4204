import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingNames } from '../src/config.ts';
import { inProject } from '../src/process/project.ts';
import { start } from './support/command.ts';
import { programs } from './support/debian-postgres.ts';
import {
  commandsWithOptions,
  linesOfKind,
  partsOf,
  programNames,
  runScript,
  scripts,
} from './support/npm-scripts.ts';
import { expectShown, shownOutputs } from './support/shown-outputs.ts';

/** The help of an npm script. Several tests read the same help. */
function helpOf(name: string): Promise<string> {
  const help = helps.get(name) ?? askForHelp(name);
  helps.set(name, help);
  return help;
}
const helps = new Map<string, Promise<string>>();

async function askForHelp(name: string): Promise<string> {
  const help = runScript(name, ['--help']);
  expect(await help.ended, help.stderr()).toEqual({ code: 0, signal: null });
  return help.stdout();
}

describe('each command', () => {
  test.each(linesOfKind('npm'))('%s is there', (line) => {
    const { name } = partsOf(line);
    expect(['ci', ...Object.keys(scripts)]).toContain(name);
  });

  // test/slow/docs.commands.test.ts gives these options to the commands.
  test.concurrent.each(commandsWithOptions())('%s has only options of the help', async (line) => {
    const { name, args } = partsOf(line);
    const help = await helpOf(name);
    for (const option of args.filter((each) => each.startsWith('--')))
      expect(help).toMatch(new RegExp(`^  ${option}\\b`, 'm'));
  });

  // test/campaigns/docs.commands.test.ts gives them a wrong option.
  test.concurrent.each(programNames)('npm run %s has a help', async (name) => {
    expect(await helpOf(name)).toMatch(new RegExp(`^Usage: npm (run )?${name}\\b`, 'm'));
  });

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

  test.each(linesOfKind('postgres'))('%s has options that the program knows', (line) => {
    // The slow tests run these commands. Without PostgreSQL's programs nothing can be checked.
    const [program = '', ...words] = line.split(' ');
    if (programs === undefined) return;
    const help = execFileSync(path.join(programs, program), ['--help'], { encoding: 'utf8' });
    for (const option of words.filter((each) => /^--\w/.test(each)))
      expect(help).toContain(option.split('=')[0]);
    for (const option of words.filter((each) => /^-\w/.test(each)))
      expect(help).toContain(` ${option}`);
  });

  test.each(linesOfKind('setting'))('%s makes a setting', (line) => {
    expect(settingNames).toContain(/^export (\w+)=/.exec(line)?.[1]);
  });
});

// test/slow/docs.commands.test.ts has the output of a race, and test/slow/docs.judged.test.ts that of
// the judge.
const slow = ['race-demo', 'judge'];
const quick = shownOutputs.filter(({ name }) => !slow.includes(name));
test.each(quick)('the output at $at is that of its command', expectShown);
