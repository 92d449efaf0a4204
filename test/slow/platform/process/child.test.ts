import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { KeptChild } from '../../../../src/platform/process/child.ts';
import { allEnd, BUSY, printedIds } from '../../../support/child.ts';
import { isRunning, makeTmpDir } from '../../../support/command.ts';

test('killing a kept program also ends its child processes, and removes its folder', async () => {
  const folder = makeTmpDir();
  const program = ['/bin/sh', '-c', BUSY];
  const child = new KeptChild(program, { cwd: folder, settings: {}, throwAway: folder });
  const pids = await printedIds(child);
  expect(pids.filter(isRunning)).toHaveLength(2);
  await child.kill();
  expect(existsSync(folder)).toBe(false);
  expect(await allEnd(pids)).toBe(true);
  await child.kill();
});

test('a kept program that has paused its whole group can be killed, and its folder is removed', async () => {
  const folder = makeTmpDir();
  const program = ['/bin/sh', '-c', 'echo "ids: $$"; kill -STOP 0'];
  const child = new KeptChild(program, { cwd: folder, settings: {}, throwAway: folder });
  const pids = await printedIds(child);
  await child.kill();
  expect(existsSync(folder)).toBe(false);
  expect(await allEnd(pids)).toBe(true);
});
