import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { freeze } from '../../../src/faults/workers/freeze.ts';
import { atEnd, run } from '../../support/command.ts';

async function makeProcess(): Promise<number> {
  const child = spawn('sleep', ['600']);
  atEnd(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child.pid as number;
}

/** Whether the process is stopped by a signal. */
const isFrozen = (pid: number) =>
  execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('T');

test('a frozen process thaws again', async () => {
  const pid = await makeProcess();
  const thaw = await freeze(pid);
  expect(isFrozen(pid)).toBe(true);
  await thaw();
  expect(isFrozen(pid)).toBe(false);
});

test('a frozen process thaws when the process that froze it is killed', async () => {
  const pid = await makeProcess();
  const { child, says, ended } = run('test/support/hold-frozen.ts', [String(pid)]);
  await says(/frozen/);
  expect(isFrozen(pid)).toBe(true);
  child.kill('SIGKILL');
  await ended;
  await vi.waitFor(() => expect(isFrozen(pid)).toBe(false));
});
