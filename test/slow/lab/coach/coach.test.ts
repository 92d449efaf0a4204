import { copyFileSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type Lesson,
  readLessons,
  solutionOf,
  starterOf,
} from '../../../../src/lab/lessons/lesson.ts';
import { coachMaker } from '../../../support/coach.ts';

const [, , , , trap] = readLessons() as [Lesson, Lesson, Lesson, Lesson, Lesson];
const makeCoach = await coachMaker();

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
  press('l');
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
