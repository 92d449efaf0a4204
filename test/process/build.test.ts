import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { buildProgram } from '../../src/process/build.ts';
import { PlainError } from '../../src/process/errors.ts';
import { inProject } from '../../src/process/project.ts';
import { run } from '../support/command.ts';

const program = inject('serverProgram');
const dist = path.dirname(program);

const build = async () => {
  const { ended, stderr } = run('scripts/build.ts', []);
  expect(await ended, stderr()).toEqual({ code: 0, signal: null });
};
const drafts = () => readdirSync(dist).filter((name) => name.startsWith('.draft-'));

test('a build leaves a file that has not changed as it is', async () => {
  const files = ['server.js', 'guard.js', 'pages/board.js', 'sources/src/claims/claim.ts'];
  const inodes = () => files.map((file) => statSync(path.join(dist, file)).ino);
  const before = inodes();
  await build();
  expect(inodes()).toEqual(before);
});

test('builds that run at once leave every file whole, and servers find it whole meanwhile', async () => {
  const whole = readFileSync(program, 'utf8');
  // Other tests use this program at the same time, so the change must leave it usable.
  appendFileSync(program, '\n');
  const opened = openSync(program, 'r');
  await Promise.all([build(), build(), build(), build()]);
  expect(readFileSync(program, 'utf8')).toBe(whole);
  // The build replaced the old file, so its readers still have the old one.
  expect(readFileSync(opened, 'utf8')).toBe(`${whole}\n`);
  closeSync(opened);
  expect(drafts()).toEqual([]);
});

test('a build mends what a killed build left, and removes its drafts', async () => {
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

test('a build removes the pages and sources that it no longer makes, and nothing else', async () => {
  const old = ['pages/board-old.js', 'sources/src/claims/gone.ts'];
  const foreign = 'foreign.js';
  for (const name of [...old, foreign]) writeFileSync(path.join(dist, name), '');
  onTestFinished(() => rmSync(path.join(dist, foreign)));
  await build();
  const isThere = (name: string) => existsSync(path.join(dist, name));
  expect(old.filter(isThere)).toEqual([]);
  expect(isThere(foreign)).toBe(true);
});

/** Makes a program outside the project. Gives its path from the project. */
function makeProgram(name: string, text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'rowlock-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, name), text);
  return path.relative(inProject('.'), path.join(folder, name));
}

const whyNot = async (entry: string): Promise<string> => {
  const error: unknown = await buildProgram(entry).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PlainError);
  return (error as PlainError).message;
};

test('a build shows the line that does not compile, without the stack of the compiler', async () => {
  const message = await whyNot(makeProgram('broken.ts', 'export const slots = ;'));
  expect(message).toMatch(/Unexpected ";"[\s\S]*broken\.ts:1:21[\s\S]*export const slots = ;/);
  expect(message).not.toMatch(/^ +at /m);
});

test('a program that did not compile is compiled once it is mended', async () => {
  const entry = makeProgram('mended.ts', 'export const slots = ;');
  expect(await whyNot(entry)).toContain('Unexpected ";"');
  writeFileSync(inProject(entry), 'export const slots = 4;');
  const file = await buildProgram(entry);
  onTestFinished(() => {
    for (const each of [file, `${file}.map`]) rmSync(each);
  });
  expect(readFileSync(file, 'utf8')).toContain('slots = 4');
});

test('a build tells in one line which file it cannot write, and leaves no draft', async () => {
  const taken = path.join(dist, 'taken.js');
  mkdirSync(taken, { recursive: true });
  onTestFinished(() => {
    rmSync(taken, { recursive: true });
    rmSync(`${taken}.map`, { force: true });
  });
  const message = await whyNot(makeProgram('taken.ts', 'export {};'));
  expect(message).toMatch(/^The build cannot write .+taken\.js \(E\w+\)\.$/);
  expect(drafts()).toEqual([]);
});
