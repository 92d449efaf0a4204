import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { Child, KeptChild } from '../../../src/platform/process/child.ts';
import { allEnd, BUSY, LONG_MS, printedIds } from '../../support/child.ts';
import { makeTmpDir, run } from '../../support/command.ts';

/** Runs this text in a shell. */
function start(text: string): Child {
  const child = new Child(spawn('/bin/sh', ['-c', text], { stdio: ['ignore', 'pipe', 'pipe'] }));
  onTestFinished(() => child.kill());
  return child;
}

test('a wait for a text ends when the process prints the text, on stdout or on stderr', async () => {
  const child = start('echo begins; echo "listens on 7" >&2; exec sleep 1000');
  expect((await child.says(/listens on (\d+)/, LONG_MS))?.[1]).toBe('7');
  expect((await child.says(/begins/, LONG_MS))?.[0]).toBe('begins');
  expect(child.hasEnded).toBe(false);
});

test('a wait for a text ends when the process ends', async () => {
  const child = start('echo broken; exit 3');
  expect(await child.says(/listens/, LONG_MS)).toBe(undefined);
  expect([child.hasEnded, child.said, await child.ended]).toEqual([
    true,
    'broken\n',
    'exit code 3',
  ]);
});

test('a wait for a text has a time limit', async () => {
  const child = start('exec sleep 1000');
  expect(await child.says(/listens/, 50)).toBe(undefined);
  expect(child.hasEnded).toBe(false);
});

test.each([
  ['exit 0', 'exit code 0'],
  ['kill -9 $$', 'the signal SIGKILL'],
])('`ended` tells how a process has ended: %s', async (text, how) => {
  expect(await start(text).ended).toBe(how);
});

test('a program that does not exist counts as ended', async () => {
  const child = new Child(spawn('/no/such/program'));
  expect(child.hasEnded).toBe(true);
  expect(await child.ended).toBe('spawn /no/such/program ENOENT');
});

test('only the end of a long output is kept', async () => {
  const child = start('i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done');
  await child.ended;
  expect(child.said).toMatch(/line 2998\nline 2999\n$/);
  expect(child.said).toHaveLength(8_000);
});

test('the end of a process is known even if another process keeps its output open', async () => {
  const child = start('sleep 1000 & echo "ids: $!"');
  const pids = await printedIds(child);
  onTestFinished(() => pids.forEach((pid) => void process.kill(pid, 'SIGKILL')));
  expect(await child.ended).toBe('exit code 0');
});

test('a process that ignores SIGTERM is killed', async () => {
  const child = start('trap "" TERM; echo ready; while :; do sleep 0.05; done');
  await child.says(/ready/, LONG_MS);
  await child.stop(100);
  expect(await child.ended).toBe('the signal SIGKILL');
});

test('a process that reacts to SIGTERM is not killed', async () => {
  const child = start('trap "exit 5" TERM; echo ready; while :; do sleep 0.05; done');
  await child.says(/ready/, LONG_MS);
  await child.stop(LONG_MS);
  expect(await child.ended).toBe('exit code 5');
});

// test/slow/platform/process/child.test.ts kills kept programs that run.
test('a kept program ends when our process ends, even by SIGKILL', async () => {
  const folder = makeTmpDir();
  const command = run('test/support/hold-program.ts', [folder, BUSY]);
  const [, ids = ''] = await command.says(/ids: ([\d ]+)\n/);
  const pids = ids.split(' ').map(Number);
  command.child.kill('SIGKILL');
  expect(await allEnd(pids)).toBe(true);
  await expect.poll(() => existsSync(folder), { timeout: LONG_MS }).toBe(false);
});

test('after unref, a kept program does not keep our process alive', async () => {
  const command = run('test/support/hold-program.ts', [makeTmpDir(), BUSY, 'unref']);
  const [, ids = ''] = await command.says(/ids: ([\d ]+)\n/);
  expect((await command.ended).code).toBe(0);
  expect(await allEnd(ids.split(' ').map(Number))).toBe(true);
});

test('a kept program gets its environment variables, and its exit code is known', async () => {
  const program = ['/bin/sh', '-c', 'echo "$COLOUR"; exit 4'];
  const child = new KeptChild(program, { cwd: '/', settings: { COLOUR: 'red' } });
  expect([await child.ended, child.said]).toEqual(['exit code 4', 'red\n']);
  await child.kill();
});

test('stopping a kept program also ends its child processes, and removes its folder', async () => {
  const folder = makeTmpDir();
  const program = ['/bin/sh', '-c', 'sleep 600 & echo "ids: $$ $!"; wait'];
  const child = new KeptChild(program, { cwd: folder, settings: {}, throwAway: folder });
  const pids = await printedIds(child);
  await child.stop(LONG_MS);
  expect(existsSync(folder)).toBe(false);
  expect(await allEnd(pids)).toBe(true);
});
