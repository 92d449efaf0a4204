import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  fromPs,
  hasEnded,
  markOf,
  pidOf,
  processOf,
} from '../../../src/platform/process/process-table.ts';

test('a process has ended once it is gone or another process has its id', async () => {
  const child = spawn('sleep', ['600']);
  await once(child, 'spawn');
  const mark = markOf(child.pid as number);
  expect([pidOf(mark), hasEnded(mark)]).toEqual([child.pid, false]);
  const [pid, place] = mark.split('-');
  expect(hasEnded(`${pid}-${place}-1`)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(hasEnded(mark)).toBe(true);
});

test.skipIf(!existsSync('/proc/self/ns/pid'))(
  'a process of another machine has not ended, even if its container has the same number',
  () => {
    const container = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
    expect(hasEnded(`${process.pid}-${container}-1`)).toBe(false);
  },
);

test('/proc and ps agree about a process, and about a process that is gone', {
  tags: ['ps'],
}, async () => {
  const child = spawn('sleep', ['600']);
  await once(child, 'spawn');
  for (const listed of [processOf, fromPs].map((list) => list(child.pid as number)))
    expect(listed).toMatchObject({ parent: process.pid, alive: true, words: ['sleep', '600'] });
  expect(fromPs(child.pid as number)?.began).toMatch(/^\w+$/);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect([processOf, fromPs].map((list) => list(child.pid as number))).toEqual([
    undefined,
    undefined,
  ]);
});
