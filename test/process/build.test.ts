import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
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
const build = async () => {
  const { ended, stderr } = run('scripts/build.ts', []);
  expect(await ended, stderr()).toEqual({ code: 0, signal: null });
};
const draftsOf = (file: string) =>
  readdirSync(path.dirname(file)).filter(
    (name) => /\.\d+$/.test(name) && name.startsWith(path.basename(file)),
  );

test('what is compiled already is left as it is, and servers that start at once all find it whole', async () => {
  const made = statSync(program).ino;
  await build();
  expect(statSync(program).ino).toBe(made);

  const whole = readFileSync(program, 'utf8');
  // Other tests start servers meanwhile.
  appendFileSync(program, '\n');
  const opened = openSync(program, 'r');
  await Promise.all([build(), build(), build(), build()]);
  expect(readFileSync(program, 'utf8')).toBe(whole);
  // Who was reading the old one still has that: it was replaced, and not written over.
  expect(readFileSync(opened, 'utf8')).toBe(`${whole}\n`);
  closeSync(opened);
  expect(draftsOf(program)).toEqual([]);
});

/** A program outside the project, by its path from there. */
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

test('what does not compile is shown, without the stack of the compiler', async () => {
  const message = await whyNot(makeProgram('broken.ts', 'export const slots = ;'));
  expect(message).toMatch(/Unexpected ";"[\s\S]*broken\.ts:1:21[\s\S]*export const slots = ;/);
  expect(message).not.toMatch(/^ +at /m);
});

test('what did not compile is compiled once it is mended', async () => {
  const entry = makeProgram('mended.ts', 'export const slots = ;');
  expect(await whyNot(entry)).toContain('Unexpected ";"');
  writeFileSync(inProject(entry), 'export const slots = 4;');
  const file = await buildProgram(entry);
  onTestFinished(() => {
    for (const each of [file, `${file}.map`]) rmSync(each);
  });
  expect(readFileSync(file, 'utf8')).toContain('slots = 4');
});

test('what cannot be written is told in one line, and no draft is left', async () => {
  const taken = path.join(path.dirname(program), 'taken.js');
  mkdirSync(taken, { recursive: true });
  onTestFinished(() => {
    rmSync(taken, { recursive: true });
    rmSync(`${taken}.map`, { force: true });
  });
  const message = await whyNot(makeProgram('taken.ts', 'export {};'));
  expect(message).toMatch(/cannot be written to .+taken\.js \(E\w+\)\.$/);
  expect(draftsOf(taken)).toEqual([]);
});
