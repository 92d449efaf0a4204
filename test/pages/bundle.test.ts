import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { readBundle } from '../../src/pages/bundle.ts';
import { PlainError } from '../../src/platform/process/errors.ts';
import { programFile } from '../support/program.ts';

/** Opens files until the process may open no more. Returns a function that closes these files. */
function takeAllFiles(): () => void {
  // Some systems allow a million files, so prlimit (of util-linux) first lowers the limit.
  execFileSync(programFile('prlimit'), ['--pid', String(process.pid), '--nofile=500:']);
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

test('an error names an unreadable file of the pages in one line', { tags: ['prlimit'] }, () => {
  const giveBack = takeAllFiles();
  const read = () => readBundle(['board']);
  expect(read).toThrow(PlainError);
  expect(read).toThrow(/^Cannot read \S+board\.js \(EMFILE\)\. Run npm run build\.$/);
  giveBack();
  expect(read().nameOf('board.js')).toMatch(/^board-\w+\.js$/);
});
