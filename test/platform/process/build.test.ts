import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildProgram } from '../../../src/platform/process/build.ts';
import { PlainError } from '../../../src/platform/process/errors.ts';
import { inProject } from '../../../src/platform/process/project.ts';
import { dist, drafts } from '../../support/build.ts';

// test/slow/platform/process/build.test.ts builds the whole service.

/** Makes a program outside the project. Returns its path relative to the project. */
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

test('a program that did not compile is compiled after its source is corrected', async () => {
  const entry = makeProgram('mended.ts', 'export const slots = ;');
  expect(await whyNot(entry)).toContain('Unexpected ";"');
  writeFileSync(inProject(entry), 'export const slots = 4;');
  const file = await buildProgram(entry);
  onTestFinished(() => {
    for (const each of [file, `${file}.map`]) rmSync(each);
  });
  expect(readFileSync(file, 'utf8')).toContain('slots = 4');
});

test('a build names in one line the file that it cannot write, and leaves no draft', async () => {
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
