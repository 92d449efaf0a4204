import { once } from 'node:events';
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { isRunning } from '../../support/command.ts';
import {
  INSTALLING,
  MISSING,
  makeProject,
  makeRegistry,
  OLD,
  outcomeOf,
  VERSION,
  WAITING,
} from '../../support/ready-project.ts';

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s ends a running install, and then the packages do not count as installed',
  async (signal, code) => {
    const { env, asked } = await makeRegistry();
    const old = { 'node_modules/a': { version: '0.9.0' } };
    const { ready, isInstalled, lock } = makeProject({ 'node_modules/a': VERSION }, old);
    const command = ready(env);
    await asked;
    expect(isInstalled()).toBe(false);
    command.child.kill(signal);
    expect(await outcomeOf(command)).toEqual({
      code,
      lines: [`${OLD} ${INSTALLING}`, 'The install was stopped. The next command begins it anew.'],
    });
    expect(fs.existsSync(lock)).toBe(false);
  },
);

test('a command waits for the install of another command, even if the other command is killed', async () => {
  const { env, asked, refuseAll } = await makeRegistry();
  const { ready, lock } = makeProject({ 'node_modules/a': VERSION });
  const first = ready(env);
  await asked;
  const npm = fs.readFileSync(lock, 'utf8');
  // The lock now dates from 1970. A lock of any age is valid while its process runs.
  fs.utimesSync(lock, 0, 0);
  const second = ready(env);
  await once(second.child.stderr ?? second.child, 'data');
  expect(second.stderr()).toBe(`${WAITING}\n`);
  first.child.kill('SIGKILL');
  await first.ended;
  // The npm of the first command still waits for the registry.
  expect(fs.readFileSync(lock, 'utf8')).toBe(npm);
  expect(npm).not.toBe(`${first.child.pid}`);
  expect(isRunning(Number(npm))).toBe(true);
  refuseAll();
  const { code, lines } = await outcomeOf(second);
  expect([code, lines]).toEqual([
    2,
    [WAITING, `${MISSING} ${INSTALLING}`, expect.stringMatching(/^npm ci has failed: .*404/)],
  ]);
});
