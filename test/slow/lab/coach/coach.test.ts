import { copyFileSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type Lesson,
  readLessons,
  solutionOf,
  starterOf,
} from '../../../../src/lab/lessons/lesson.ts';
import { coachMaker } from '../../../support/coach.ts';
import { makeTmpDir } from '../../../support/command.ts';
import { solvedLike } from '../../../support/solved.ts';

const [, , , locking, trap] = readLessons() as [Lesson, Lesson, Lesson, Lesson, Lesson];
const makeCoach = await coachMaker();

test('a student predicts, sees one schedule, mends the file, and goes on', async () => {
  const { coach, desk, press, shows, screen, file } = makeCoach(locking);
  expect(screen()).toMatch(/^Lesson 4 of 17: The lock/);
  expect(screen()).toContain('A. The database refuses');
  expect(screen()).not.toContain('Task');
  press('b');
  await shows(/NOT YET\. It oversells\. The situation: one slot is left\./);
  expect(screen()).toMatch(/5 claims, 4 slots: OVERSOLD\n\nschedule: [12,]+\n/);
  expect(screen()).not.toContain('The answer is');
  press('h');
  expect(screen()).toMatch(/q quit\n$/);
  // A small terminal shows only the last lines.
  const bottom = screen().split('\n').slice(-10).join('\n');
  expect(bottom).toMatch(/Hint 1: [\s\S]*Your file: /);
  copyFileSync(solutionOf(locking), file);
  await shows(new RegExp(solvedLike('claims/row-lock')));
  expect(screen()).toContain('You predicted B. The answer is B.');
  expect(screen()).toContain('    npm run replay -- row-lock 1,2,1,1,1,2,2\n');
  expect(screen()).not.toContain('Hint 1');
  expect(desk.readProgress()).toMatchObject({ lesson: 4, solved: [4], predicted: { 4: 'B' } });
  press('n');
  expect(screen()).toMatch(/^Lesson 5 of 17: The trap/);
  press('q');
  await coach.left;
});

test('a new coach keeps the prediction and the hints of the last coach', async () => {
  const folder = makeTmpDir();
  const first = makeCoach(locking, folder);
  first.press('chq');
  await first.coach.close();
  const second = makeCoach(locking, folder);
  expect(second.screen()).not.toContain('your prediction');
  expect(second.screen()).toContain('Hint 1: ');
});

test('the goal may give the answer away, so it comes after the prediction', () => {
  const { press, screen } = makeCoach(trap);
  const goal = 'still oversells';
  expect(screen()).not.toContain(goal);
  press('a');
  expect(screen()).toContain(goal);
});

test('the keys show hints, list the lessons, and ask before anything is lost', async () => {
  const { press, shows, screen, file } = makeCoach(trap);
  press('h');
  expect(screen()).toContain('Predict first.');
  press('ah');
  expect(screen()).toContain('Hint 1: ');
  expect(screen()).not.toContain('Hint 2: ');
  press('hhh');
  expect(screen()).toContain('There are no more hints.');
  press('l');
  expect(screen()).toMatch(/^> \[ \] {2}5\. The trap \(12 minutes\)$/m);
  press('99');
  expect(screen()).toContain('Press Enter to open lesson 99.');
  press('\r');
  expect(screen()).toContain('There is no lesson 99.');
  press('4\r');
  expect(screen()).toMatch(/^Lesson 4 of \d+: The lock/m);
  press('l5\r');
  expect(screen()).toMatch(/^Lesson 5 of \d+: The trap/m);
  press('b');
  expect(screen()).toContain('You have predicted already.');
  press('n');
  expect(screen()).toContain('Lesson 5 is not solved. Press n again to go on.');
  press('z');
  expect(screen()).toContain('The key "z" does nothing here.');
  copyFileSync(solutionOf(trap), file);
  await shows(/SOLVED/);
  press('r');
  expect(readFileSync(file, 'utf8')).toBe(readFileSync(solutionOf(trap), 'utf8'));
  press('r');
  expect(readFileSync(file, 'utf8')).toBe(readFileSync(starterOf(trap), 'utf8'));
  await shows(/NOT YET/);
});
