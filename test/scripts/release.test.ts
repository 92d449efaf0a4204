import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { makeTmpDir, start } from '../support/command.ts';

test('a release gives its section of the changelog a heading, and can print the section', async () => {
  const folder = makeTmpDir();
  execFileSync('git', ['init', '-q'], { cwd: folder });
  const changelog = path.join(folder, 'CHANGELOG.md');
  const release = async (...args: string[]) => {
    const command = start(
      process.execPath,
      [inProject('scripts/release.mjs'), ...args],
      {},
      folder,
    );
    return { ...(await command.ended), stdout: command.stdout(), stderr: command.stderr() };
  };
  writeFileSync(path.join(folder, 'package.json'), '{ "version": "1.2.3" }');
  cpSync(inProject('CHANGELOG.md'), changelog);
  const before = readFileSync(changelog, 'utf8');
  expect((await release('--section')).stderr).toBe('CHANGELOG.md has no section about 1.2.3.\n');

  expect(await release()).toMatchObject({ code: 0, stderr: '' });
  const today = new Date().toISOString().slice(0, 10);
  expect(readFileSync(changelog, 'utf8')).toBe(
    before.replace('## Unreleased', `## Unreleased\n\n## 1.2.3 (${today})`),
  );
  const staged = ['diff', '--cached', '--name-only'];
  expect(execFileSync('git', staged, { cwd: folder, encoding: 'utf8' })).toBe('CHANGELOG.md\n');
  const { stdout } = await release('--section');
  const [, section] = before.split(/^## Unreleased$/m);
  expect(section?.trim().startsWith(stdout.trim())).toBe(true);
  expect(stdout).not.toBe('');
  expect((await release()).stderr).toBe('CHANGELOG.md has nothing under "## Unreleased".\n');
});
