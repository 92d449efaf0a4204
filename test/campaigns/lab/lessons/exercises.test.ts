import { expect, test } from 'vitest';
import { readLessons, solutionOf, starterOf } from '../../../../src/lab/lessons/lesson.ts';
import { makeExaminer } from '../../../support/coach.ts';

const examiner = await makeExaminer();
const never = new AbortController().signal;

test.each(readLessons())(
  'the starter of lesson $number, $title, fails as the lesson says',
  async (lesson) => {
    expect(await examiner.examine(lesson, starterOf(lesson), never)).toMatchObject({
      kind: 'falls',
      result: lesson.exercise.starter,
      shown: { transcript: expect.stringContaining('S1') },
    });
  },
);

test.each(readLessons())('the solution of lesson $number, $title, holds', async (lesson) => {
  const attempt = await examiner.examine(lesson, solutionOf(lesson), never);
  expect(attempt).toMatchObject({ kind: 'solved' });
});
