import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { inProject } from '../../../src/process/project.ts';
import { start } from '../../support/command.ts';

// test/slow/deploy/rolling.test.ts has a server of the version before.
test('the tests of claims of the version before pass on this schema', {
  timeout: 600_000,
}, async () => {
  const isShallow = execFileSync('git', ['rev-parse', '--is-shallow-repository'], {
    cwd: inProject('.'),
    encoding: 'utf8',
  });
  // A shallow clone has no earlier version.
  expect(isShallow.trim()).toBe('false');
  const old = start(inProject('deploy/last-version.sh'), [], {});
  expect((await old.ended).code, old.stdout() + old.stderr()).toBe(0);
  expect(old.stdout()).toMatch(/Tests .*\d+ passed/);
});
