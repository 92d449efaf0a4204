import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readBundle } from '../../src/web/bundle.ts';

/** Opens files until only so many are left, and closes them at the end of the test at the latest. */
function takeFilesBut(left: number): () => void {
  // prlimit is part of util-linux. Some systems allow a million files.
  execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=500:']);
  const taken: number[] = [];
  const giveBack = () => {
    for (const file of taken.splice(0)) closeSync(file);
  };
  onTestFinished(giveBack);
  expect(() => {
    for (;;) taken.push(openSync(devNull, 'r'));
  }).toThrow(/EMFILE/);
  for (const file of taken.splice(0, left)) closeSync(file);
  return giveBack;
}

/** Once esbuild is loaded, it still needs six files to start its process. */
test.runIf(process.platform === 'linux').each([0, 1, 5])(
  'a bundle that failed for want of files (%d are left) is made by the next who asks',
  async (left) => {
    vi.resetModules();
    const { readBundle } = await import('../../src/web/bundle.ts');
    const giveBack = takeFilesBut(left);
    for (const _ of [1, 2]) await expect(readBundle()).rejects.toMatchObject({ code: 'EMFILE' });
    giveBack();
    expect((await readBundle()).nameOf('board.js')).toMatch(/^board-\w+\.js$/);
  },
);

test('requests that come at once share one bundle, and so do those after them', async () => {
  const bundles = await Promise.all([readBundle(), readBundle()]);
  expect(new Set([...bundles, await readBundle()]).size).toBe(1);
});
