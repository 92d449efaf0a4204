import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { PlainError } from '../../src/process/errors.ts';
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
  'a file of the pages that cannot be read is named in one line',
  () => {
    const giveBack = takeAllFiles();
    expect(readBundle).toThrow(PlainError);
    expect(readBundle).toThrow(/^Cannot read \S+board\.js \(EMFILE\)\. Run npm run build\.$/);
    giveBack();
    expect(readBundle().nameOf('board.js')).toMatch(/^board-\w+\.js$/);
  },
);
