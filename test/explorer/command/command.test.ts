import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';
import { makeTmpDir } from '../../support/command.ts';
import { booking, explorer, onServer } from '../../support/explorer-command.ts';

// test/slow/explorer/command has the other tests of the command.
test('the example of a booking is found wrong without the lock, and right with the lock', async () => {
  const { code, stdout } = await explorer(['explore', booking(), ...onServer]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/ · booking, wrong: broken in 18 of all 20 schedules \(/);
  expect(stdout).toContain('room 1 has 2 bookings for night 3');
  expect(stdout).toMatch(/ · booking, right: the rule holds in all 8 schedules \(/);
});

test('the example of `init` loses money', async () => {
  const folder = makeTmpDir(inProject('dist'));
  expect(await explorer(['init', folder])).toMatchObject({ code: 0 });
  const file = path.join(folder, 'transfer.explore.mjs');
  const { code, stdout } = await explorer(['explore', file, '--first', ...onServer]);
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('money is kept: broken in schedule 3 ('),
  ]);
});
