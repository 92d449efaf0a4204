import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { readBundle } from '../../src/web/bundle.ts';

/** Opens files until the process may open no more. Returns a function that closes these files. */
function takeAllFiles(): () => void {
  // Some systems allow a million files, so prlimit (of util-linux) first lowers the limit.
  execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=500:']);
  const taken: number[] = [];
  const giveBack = () => {
    for (const file of taken.splice(0)) closeSync(file);
  };
  onTestFinished(giveBack);
  expect(() => {
    for (;;) taken.push(openSync(devNull, 'r'));
  }).toThrow(/EMFILE/);
  return giveBack;
}

test.runIf(process.platform === 'linux')(
  'the pages are read by the next request if there was no free file',
  async () => {
    const giveBack = takeAllFiles();
    for (const _ of [1, 2]) await expect(readBundle()).rejects.toMatchObject({ code: 'EMFILE' });
    giveBack();
    expect((await readBundle()).nameOf('board.js')).toMatch(/^board-\w+\.js$/);
  },
);

test('requests that come at once share one bundle, and so do later requests', async () => {
  const bundles = await Promise.all([readBundle(), readBundle()]);
  expect(new Set([...bundles, await readBundle()]).size).toBe(1);
});
