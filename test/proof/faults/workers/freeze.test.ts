import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { freeze } from '../../../../proof/faults/workers/faults.ts';
import { atEnd, run } from '../../../support/command.ts';
import { programFile } from '../../../support/program.ts';

async function makeProcess(): Promise<number> {
  const child = spawn('sleep', ['600']);
  atEnd(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child.pid as number;
}

/** Returns whether a signal has stopped the process. */
const isFrozen = (pid: number) =>
  execFileSync(programFile('ps'), ['-o', 'stat=', '-p', String(pid)], {
    encoding: 'utf8',
  }).startsWith('T');

test('the function that freeze() returns thaws the process', { tags: ['ps'] }, async () => {
  const pid = await makeProcess();
  const thaw = await freeze(pid);
  expect(isFrozen(pid)).toBe(true);
  await thaw();
  expect(isFrozen(pid)).toBe(false);
});

test('a frozen process thaws when the process that froze it is killed', {
  tags: ['ps'],
}, async () => {
  const pid = await makeProcess();
  const { child, says, ended } = run('test/support/hold-frozen.ts', [String(pid)]);
  await says(/frozen/);
  expect(isFrozen(pid)).toBe(true);
  child.kill('SIGKILL');
  await ended;
  await vi.waitFor(() => expect(isFrozen(pid)).toBe(false), { timeout: 20_000 });
});
