import { expect, test } from 'vitest';
import { MOST_STUDENTS, Roll, STUCK_MS, type Student } from '../../../src/lab/classroom/roll.ts';

const choices = ['A', 'B', 'C'].map((letter) => ({ letter, text: '' }));

function makeRoll(now = () => 0) {
  let changes = 0;
  const roll = new Roll([{ number: 1, choices }], () => changes++, now);
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

test('a report of a lesson or a letter that does not exist changes nothing', () => {
  const { roll, join, changes } = makeRoll();
  const student = join('Ada');
  const before = changes();
  expect(roll.report(student, { lesson: 2, step: 'do' })).toBe(false);
  expect(roll.report(student, { lesson: 1, step: 'do', prediction: 'D' })).toBe(false);
  expect(changes()).toBe(before);
});

test('students with the same name get different numbers', () => {
  const { roll, join } = makeRoll();
  const ada = join('Ada');
  join('ada');
  roll.rename(join('Bob'), 'Ada');
  roll.rename(ada, 'Ada');
  expect(roll.tell().students.map(({ name }) => name)).toEqual(['Ada', 'ada (2)', 'Ada (3)']);
});

test('a full room lets nobody in until a student is removed', () => {
  const { roll, join } = makeRoll();
  const students = Array.from({ length: MOST_STUDENTS }, (_, index) => join(`Student ${index}`));
  expect(roll.join('one more')).toBe('full');
  const [first] = students;
  expect(roll.remove(first?.number ?? 0)).toBe(first);
  expect(roll.remove(first?.number ?? 0)).toBeUndefined();
  expect(roll.find(first?.secret ?? '')).toBeUndefined();
  expect(roll.join('one more')).not.toBe('full');
});

// The second name of each row looks like the first name. Some letters are from another script, or
// only look similar.
test.each([
  ['Ada', '\u0410da', 'a Cyrillic capital'],
  ['Ada', '\u0410d\u0430', 'two Cyrillic letters'],
  ['Ada', '\u0391da', 'a Greek capital'],
  ['Ada', '\ua4ee\ua4d3\ua4ee', 'Lisu alone'],
  ['ADAM', '\u13aaDAM', 'a Cherokee letter'],
  ['Hanna', '\u041danna', 'a Cyrillic letter that looks like H'],
  ['BOBA', '\u0412\u041e\u0412\u0410', 'Cyrillic alone'],
  ['Jos\u00e9', 'J\u043es\u00e9', 'a Cyrillic letter before an accent'],
  ['Ali', 'A1i', 'a digit'],
  ['Alice', 'AIice', 'a capital I'],
  ['Alice', 'A|ice', 'a bar'],
  ['Amos', 'Arnos', 'r and n'],
  ['Otto', '0tt0', 'zeros'],
  ["O'Neil", 'O\u2019Neil', 'another apostrophe'],
  ['Ana-Lia', 'Ana\u2011Lia', 'another hyphen'],
  ['\u0410\u043d\u043d\u0430', 'A\u043d\u043d\u0430', 'a Latin letter in a Cyrillic name'],
  ['\u041f\u0438', '\u03a0\u0438', 'a Greek letter in a Cyrillic name'],
])('after %s, the similar name %s (%s) gets a number', (first, second) => {
  const { roll, join } = makeRoll();
  join(first);
  expect(join(second).name).toBe(`${second} (2)`);
  const third = join('Grace');
  roll.rename(third, second);
  expect(third.name).toBe(`${second} (3)`);
});

test('names of many scripts stay as they are, and similar names that look different get no number', () => {
  const { join } = makeRoll();
  const names = [
    ...[
      'Ada',
      '\u00c1da',
      'Adam',
      'Edda',
      'Jose',
      'Jos\u00e9',
      'Lukas',
      '\u0141ukas',
      'Zo\u00eb',
      'Zoe',
    ],
    ...['Анна', 'Инна', 'Вова', 'Лена', 'Нина', 'Οδυσσέας', 'Ελένη', 'Արամ', 'Անի'],
    ...['王小明', '王小民', '이지은', 'さくら', 'サクラ', 'אריאל', 'שרה', 'فاطمة', 'علي'],
    ...['राम', 'रमा', 'สมชาย', 'ნინო', 'ለምለም', '🦊', '🐻'],
  ];
  for (const name of names) expect(join(name).name).toBe(name);
});

test('the second votes are counted beside the first, and each counts once', () => {
  const { roll, join } = makeRoll();
  const student = join('Ada');
  roll.report(student, { lesson: 1, step: 'do', prediction: 'A' });
  roll.report(student, { lesson: 1, step: 'do', prediction: 'A', secondVote: 'B' });
  roll.report(student, { lesson: 1, step: 'done', prediction: 'A', secondVote: 'C' });
  expect(roll.report(student, { lesson: 1, step: 'do', secondVote: 'D' })).toBe(false);
  expect(roll.tell()).toMatchObject({ predictions: { 1: { A: 1 } }, secondVotes: { 1: { B: 1 } } });
});

test('what the class has seen counts the furthest step of each student', () => {
  const { roll, join } = makeRoll();
  const [ada, bob] = [join('Ada'), join('Bob')];
  roll.report(ada, { lesson: 1, step: 'understand' });
  roll.report(ada, { lesson: 1, step: 'predict' });
  roll.report(bob, { lesson: 1, step: 'do' });
  roll.noteScript(bob.number, 1, undefined);
  expect(roll.tell().seen).toEqual({ 1: { opened: 2, understood: 1, solved: 1 } });
});

const troubles = (roll: Roll) => roll.tell().students.map(({ trouble }) => trouble);

test('a student without an open page is away', () => {
  const { roll, join } = makeRoll();
  const student = join('Ada');
  expect(troubles(roll)).toEqual(['away']);
  roll.notePages(student, 1);
  roll.notePages(student, 1);
  roll.notePages(student, -1);
  expect(troubles(roll)).toEqual([null]);
  roll.notePages(student, -1);
  expect(troubles(roll)).toEqual(['away']);
});

test('a student who does nothing for three minutes is stuck, unless the lesson is done', () => {
  let now = 0;
  const { roll, join } = makeRoll(() => now);
  const student = join('Ada');
  roll.notePages(student, 1);
  roll.report(student, { lesson: 1, step: 'do' });
  now += STUCK_MS;
  expect(troubles(roll)).toEqual([null]);
  now += 1;
  expect(troubles(roll)).toEqual(['stuck']);
  roll.noteScript(student.number, 1, 'oversold in last-slot');
  expect(troubles(roll)).toEqual([null]);
  now += STUCK_MS + 1;
  roll.report(student, { lesson: 1, step: 'understand' });
  now += STUCK_MS + 1;
  expect(troubles(roll)).toEqual([null]);
});

test('a student who gives the same wrong answer twice in a row may need help', () => {
  const { roll, join } = makeRoll();
  const student = join('Ada');
  roll.notePages(student, 1);
  roll.report(student, { lesson: 1, step: 'do' });
  const note = (wrong: string | null | undefined) => {
    roll.noteScript(student.number, 1, wrong);
    return troubles(roll)[0];
  };
  expect(note('oversold in last-slot')).toBeNull();
  expect(note('deadlock in last-slot')).toBeNull();
  expect(note('deadlock in last-slot')).toBe('repeats');
  expect(note(null)).toBe('repeats');
  expect(note(undefined)).toBeNull();
  expect(note('deadlock in last-slot')).toBeNull();
});
