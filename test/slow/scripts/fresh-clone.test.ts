import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';
import { makeTmpDir, start } from '../../support/command.ts';

/** The programs that a new machine has. */
const PROGRAMS = ['node', 'npm', 'npx', 'git', 'sh', 'env', 'id', 'test'];

/** Makes a folder with links to the programs of a new machine. */
function makeBarePath(): string {
  const folder = makeTmpDir();
  for (const name of PROGRAMS) {
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const found = folders.map((each) => path.join(each, name)).find((file) => existsSync(file));
    if (found) symlinkSync(found, path.join(folder, name));
  }
  return folder;
}

let clone: string;
const PATH = makeBarePath();
const HOME = makeTmpDir();
beforeAll(() => {
  clone = path.join(makeTmpDir(), 'rowlock');
  execFileSync('git', ['clone', '--quiet', inProject('.'), clone]);
});

const run = (args: string[], env: Record<string, string> = {}) =>
  start('npm', args, { PATH, HOME, ...env }, clone);

// The race installs the packages, so it needs the registry of npm.
test('a fresh clone needs one command for a race, but under CI this command only says what to run first', async () => {
  const refused = run(['run', '--silent', 'race-demo'], { CI: 'true' });
  expect((await refused.ended).code).toBe(2);
  expect(refused.stderr()).toBe('The packages are not installed. Run npm ci first.\n');

  const race = run(['run', '--silent', 'race-demo', '--', '--rounds', '2']);
  expect(await race.ended, race.stderr()).toEqual({ code: 0, signal: null });
  expect(race.stderr()).toMatch(/^The packages are not installed\. Installing them by npm ci/);
  expect(race.stdout()).toContain('row-lock never gave out more than 4 slots.');

  const again = run(['run', '--silent', 'race-demo', '--', '--help']);
  expect(await again.ended).toEqual({ code: 0, signal: null });
  expect(again.stderr()).toBe('');
});

test('after the race, the clone starts the service, and packs the client', async () => {
  const service = run(['start'], { PORT: '0' });
  const [, url] = await service.says(/listens on (\S+)/);
  expect(service.stderr()).not.toContain('npm ci');
  expect((await fetch(`${url}/claim-job?jobId=1&recruiterId=1`)).status).toBe(200);
  service.child.kill('SIGTERM');
  await service.ended;
  const pack = run(['run', '--silent', 'pack:client']);
  expect(await pack.ended, pack.stderr() + pack.stdout()).toEqual({ code: 0, signal: null });
  expect(existsSync(path.join(clone, pack.stdout().trim()))).toBe(true);
});
