import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';
import { start } from '../../support/command.ts';

// test/slow/deploy/rolling.test.ts tests a server of the previous version.
test('the claim tests of the previous version pass on the schema of this version', {
  timeout: 600_000,
  tags: ['sed', 'tar'],
}, async () => {
  const isShallow = execFileSync('git', ['rev-parse', '--is-shallow-repository'], {
    cwd: inProject('.'),
    encoding: 'utf8',
  });
  // A shallow clone does not contain the previous version.
  expect(isShallow.trim()).toBe('false');
  const old = start(inProject('deploy/last-version.sh'), [], {});
  expect((await old.ended).code, old.stdout() + old.stderr()).toBe(0);
  expect(old.stdout()).toMatch(/Tests .*\d+ passed/);
});
