import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readSchedule } from '../../../src/lab/lessons/schedule-file.ts';
import { makeTmpDir } from '../../support/command.ts';

const file = path.join(makeTmpDir(), 'schedule.txt');
const read = (text: string) => {
  writeFileSync(file, text);
  return readSchedule(file);
};

// test/slow/lab/coach/examiner.test.ts has these mistakes in trials of the coach.
test('the choices of a schedule are read with their lines, without the comments', () => {
  const { choices, lineOf } = read('# a comment\n1, 2 1\n2 # 1\n');
  expect(choices).toEqual(['1', '2', '1', '2']);
  expect([0, 3].map((index) => lineOf(index).split(':').at(-1))).toEqual(['2', '3']);
});

test.each([
  ['1, 2\n1 x', /schedule\.txt:2: "x" is no choice\. Write 1 or 2 for a step of this session\.$/],
  ['1\n'.repeat(201), /schedule\.txt:201: a schedule has at most 200 choices\.$/],
])('a schedule with a mistake is refused in one line: %j', (text, words) => {
  expect(() => read(text)).toThrow(words);
});
