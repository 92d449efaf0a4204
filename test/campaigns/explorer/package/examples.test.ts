import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { inProject } from '../../../../src/platform/process/project.ts';
import { makeTmpDir, start } from '../../../support/command.ts';
import { goSettings } from '../../../support/languages.ts';
import { install, packedFileOf } from '../../../support/packages.ts';

let folder: string;
beforeAll(async () => {
  const file = await packedFileOf('explorer');
  folder = makeTmpDir();
  cpSync(inProject('examples/explorer'), folder, { recursive: true });
  const { devDependencies } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  await install(folder, file, `vitest@${devDependencies.vitest}`);
});

async function ran(...args: string[]) {
  const command = start('npx', args, { CI: '1', ...goSettings() }, folder);
  const { code } = await command.ended;
  return { code, said: command.stdout() + command.stderr() };
}

const IS_BROKEN = '%s is broken without its mend, and holds with it';

test.each(['transfer', 'booking', 'counter'])(IS_BROKEN, expectBothWays);
test.each(['username'])(IS_BROKEN, { tags: ['python'] }, expectBothWays);
test.each(['stock'])(IS_BROKEN, { tags: ['go'] }, expectBothWays);

async function expectBothWays(name: string) {
  const { code, said } = await ran('rowlock-explorer', 'explore', `${name}.explore.mjs`);
  expect([code, said]).toEqual([1, expect.stringMatching(`${name}, wrong: broken in `)]);
  expect(said).toMatch(`${name}, right: the rule holds in all `);
}

test('the test of docs/explorer-package.md passes, and fails without its lock', async () => {
  expect(await ran('vitest', 'run', 'money.test.mjs')).toMatchObject({ code: 0 });
  const file = path.join(folder, 'money.test.mjs');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(' for update', ''));
  const { code, said } = await ran('vitest', 'run', 'money.test.mjs');
  expect([code, said]).toEqual([1, expect.stringContaining('expected 160 to be 100')]);
  expect(said).toContain('S1 last looked at accounts at step');
});
