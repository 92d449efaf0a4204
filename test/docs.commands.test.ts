import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProject } from '../src/platform/process/project.ts';
import { settingNames } from '../src/service/config/settings.ts';
import { start } from './support/command.ts';
import { programs } from './support/debian-postgres.ts';
import {
  expectHelp,
  expectRefusal,
  linesOfKind,
  partsOf,
  programNames,
  programOf,
  scripts,
} from './support/npm-scripts.ts';

// test/scripts/commands.test.ts tests the options of the commands. test/slow/docs.commands.test.ts
// tests their output.
describe('each command', () => {
  test.each(linesOfKind('npm'))('%s exists', (line) => {
    const { name } = partsOf(line);
    expect(['ci', ...Object.keys(scripts)]).toContain(name);
  });

  // npm adds the options at the end of the line in package.json. So the line must end with the
  // program.
  test.each(programNames)('npm run %s passes its options to the program', (name) => {
    const first = '((npm run --silent build|node scripts/ready.mjs) && )?';
    const flags = '(--import tsx |--enable-source-maps )?';
    const byNode = new RegExp(`^${first}node ${flags}${programOf(name)}$`);
    const byImport = new RegExp(`^node -e "[^"]*import\\('./${programOf(name)}'\\)" --$`);
    expect(scripts[name]).toMatch(name === 'build' ? byImport : byNode);
  });

  // Each of these commands starts in a different way. A campaign tests all commands.
  describe.each(['build', 'version', 'doctor', 'bench'])('npm run %s', (name) => {
    test('refuses a wrong option', () => expectRefusal(name));
    test('prints a help text', () => expectHelp(name));
  });

  test.each(linesOfKind('vitest'))('%s names existing tests', (line) => {
    expect(existsSync(inProject(line.split(' ').at(-1) ?? ''))).toBe(true);
  });

  test.each(linesOfKind('script'))(
    'the script of this line exists, and prints a help text: %s',
    async (line) => {
      const script = line.split(' ')[0] ?? '';
      const help = start(inProject(script), ['--help'], {});
      expect(await help.ended, help.stderr()).toEqual({ code: 0, signal: null });
      expect(help.stdout()).toContain(`Usage: ${script} `);
      const wrong = start(inProject(script), [], {});
      expect((await wrong.ended).code).toBe(2);
    },
  );

  const ofPostgres = { tags: ['postgresql' as const] };
  // The slow tests run these commands.
  test.each(linesOfKind('postgres'))(
    'the program of this line knows its options: %s',
    ofPostgres,
    (line) => {
      const [program = '', ...words] = line.split(' ');
      const help = execFileSync(path.join(programs(), program), ['--help'], { encoding: 'utf8' });
      for (const option of words.filter((each) => /^--\w/.test(each)))
        expect(help).toContain(option.split('=')[0]);
      for (const option of words.filter((each) => /^-\w/.test(each)))
        expect(help).toContain(` ${option}`);
    },
  );

  test.each(linesOfKind('setting'))('this line sets a setting that exists: %s', (line) => {
    expect(settingNames).toContain(/^export (\w+)=/.exec(line)?.[1]);
  });
});
