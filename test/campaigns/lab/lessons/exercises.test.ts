import { expect, test } from 'vitest';
import { readLessons, solutionOf } from '../../../../src/lab/lessons/lesson.ts';
import { makeExaminer } from '../../../support/coach.ts';

const examiner = await makeExaminer();
const never = new AbortController().signal;

test.each(readLessons())('the solution of lesson $number, $title, holds', async (lesson) => {
  const attempt = await examiner.examine(lesson, solutionOf(lesson), never);
  expect(attempt).toMatchObject({ kind: 'solved' });
});
