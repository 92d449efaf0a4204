import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { build, dist, drafts, program } from '../../../support/build.ts';

test('builds at the same time leave every file complete, and a program can read an opened old file to its end', async () => {
  const whole = readFileSync(program, 'utf8');
  // Other tests use this program at the same time, so the program must stay usable.
  appendFileSync(program, '\n');
  const opened = openSync(program, 'r');
  await Promise.all([build(), build(), build(), build()]);
  expect(readFileSync(program, 'utf8')).toBe(whole);
  // The build made a new file, so a program that has opened the old file still reads the old file.
  expect(readFileSync(opened, 'utf8')).toBe(`${whole}\n`);
  closeSync(opened);
  expect(drafts()).toEqual([]);
});

test('a build makes the files that a killed build did not make, and removes its drafts', async () => {
  // No other test reads this file.
  const file = path.join(dist, 'seed.js.map');
  const whole = readFileSync(file, 'utf8');
  const left = mkdtempSync(path.join(dist, '.draft-'));
  writeFileSync(path.join(left, '0'), whole.slice(0, 10));
  utimesSync(left, 0, 0);
  rmSync(file);
  await build();
  expect(readFileSync(file, 'utf8')).toBe(whole);
  expect(drafts()).toEqual([]);
});

test('a build does not write a file that has not changed', async () => {
  const files = ['server.js', 'guard.js', 'pages/board.js', 'sources/src/service/claims/claim.ts'];
  const inodes = () => files.map((file) => statSync(path.join(dist, file)).ino);
  const before = inodes();
  await build();
  expect(inodes()).toEqual(before);
});

test('a build removes the pages and sources that it no longer makes, and nothing else', async () => {
  const old = ['pages/board-old.js', 'sources/src/service/claims/gone.ts'];
  const foreign = 'foreign.js';
  for (const name of [...old, foreign]) writeFileSync(path.join(dist, name), '');
  onTestFinished(() => rmSync(path.join(dist, foreign)));
  await build();
  const isThere = (name: string) => existsSync(path.join(dist, name));
  expect(old.filter(isThere)).toEqual([]);
  expect(isThere(foreign)).toBe(true);
});
