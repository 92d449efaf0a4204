import { expect, test } from 'vitest';
import { MOST_STUDENTS, Roll, type Student } from '../../../src/lab/classroom/roll.ts';

const choices = ['A', 'B', 'C'].map((letter) => ({ letter, text: '' }));

function makeRoll() {
  let changes = 0;
  const roll = new Roll([{ number: 1, choices }], () => changes++);
  const join = (name: string) => roll.join(name) as Student;
  return { roll, join, changes: () => changes };
}

test('the predictions are counted by lesson and letter', () => {
  const { roll, join } = makeRoll();
  for (const letter of ['A', 'B', 'A'])
    roll.report(join(letter), { lesson: 1, step: 'do', prediction: letter });
  join('late');
  expect(roll.tell().predictions).toEqual({ 1: { A: 2, B: 1 } });
  expect(roll.tell().students.map(({ lesson, step }) => [lesson, step])).toEqual([
    [1, 'do'],
    [1, 'do'],
    [1, 'do'],
    [null, null],
  ]);
});

test('the first prediction counts, since later the student knows the answer', () => {
  const { roll, join } = makeRoll();
  const student = join('Ada');
  roll.report(student, { lesson: 1, step: 'predict', prediction: 'A' });
  roll.report(student, { lesson: 1, step: 'done', prediction: 'B' });
  expect(roll.tell().predictions).toEqual({ 1: { A: 1 } });
});

test('a lesson or a letter that does not exist changes nothing', () => {
  const { roll, join, changes } = makeRoll();
  const student = join('Ada');
  const before = changes();
  expect(roll.report(student, { lesson: 2, step: 'do' })).toBe(false);
  expect(roll.report(student, { lesson: 1, step: 'do', prediction: 'D' })).toBe(false);
  expect(changes()).toBe(before);
});

test('two students of the same name can be told apart', () => {
  const { roll, join } = makeRoll();
  const ada = join('Ada');
  join('ada');
  roll.rename(join('Bob'), 'Ada');
  roll.rename(ada, 'Ada');
  expect(roll.tell().students.map(({ name }) => name)).toEqual(['Ada', 'ada (2)', 'Ada (3)']);
});

test('the room has a bounded number of students, and a removed student makes room', () => {
  const { roll, join } = makeRoll();
  const students = Array.from({ length: MOST_STUDENTS }, (_, index) => join(`Student ${index}`));
  expect(roll.join('one more')).toBe('full');
  const [first] = students;
  expect(roll.remove(first?.number ?? 0)).toBe(first);
  expect(roll.remove(first?.number ?? 0)).toBeUndefined();
  expect(roll.find(first?.secret ?? '')).toBeUndefined();
  expect(roll.join('one more')).not.toBe('full');
});
