import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { kill } from '../../../proof/faults/pair.ts';
import { atEnd, isRunning, makeTmpDir } from '../../support/command.ts';

test('kill() spares a process of another program, even if postmaster.pid names it', async () => {
  const home = makeTmpDir();
  const stranger = spawn('sleep', ['600']);
  atEnd(() => stranger.kill());
  await once(stranger, 'spawn');
  mkdirSync(path.join(home, 'data'));
  writeFileSync(path.join(home, 'data', 'postmaster.pid'), `${stranger.pid}\n`);
  const server = { home, failed: once(stranger, 'exit').then(() => 'killed') };
  await expect(kill(server)).rejects.toThrow('there is no server to kill');
  expect(isRunning(stranger.pid as number)).toBe(true);
});
