import { describe, expect, test } from 'vitest';
import { readLessons, solutionOf, starterOf } from '../../../../src/lab/lessons/lesson.ts';
import { makeExaminer } from '../../../support/coach.ts';

const examiner = await makeExaminer();
const never = new AbortController().signal;

describe.each(readLessons())('lesson $number, $title', (lesson) => {
  test('the starter fails as the lesson says', async () => {
    expect(await examiner.examine(lesson, starterOf(lesson), never)).toMatchObject({
      kind: 'falls',
      result: lesson.exercise.starter,
      shown: { transcript: expect.stringContaining('S1') },
    });
  });

  test('the solution holds', async () => {
    const attempt = await examiner.examine(lesson, solutionOf(lesson), never);
    expect(attempt).toMatchObject({ kind: 'solved' });
  });
});
