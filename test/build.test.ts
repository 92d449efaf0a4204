import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { run } from './support/command.ts';

const program = inject('serverProgram');
const build = async () => {
  const { ended, stderr } = run('scripts/build.ts', []);
  expect(await ended, stderr()).toEqual({ code: 0, signal: null });
};

test('what is compiled already is left as it is, and servers that start at once all find it whole', async () => {
  const made = statSync(program).ino;
  await build();
  expect(statSync(program).ino).toBe(made);

  const whole = readFileSync(program, 'utf8');
  // Other tests start servers meanwhile.
  appendFileSync(program, '\n');
  await Promise.all([build(), build(), build(), build()]);
  expect(readFileSync(program, 'utf8')).toBe(whole);
  const drafts = readdirSync(path.dirname(program)).filter((name) => /\.\d+$/.test(name));
  expect(drafts).toEqual([]);
});
