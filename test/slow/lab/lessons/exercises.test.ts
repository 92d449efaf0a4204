import { expect, test } from 'vitest';
import { readLessons, starterOf } from '../../../../src/lab/lessons/lesson.ts';
import { makeExaminer } from '../../../support/coach.ts';

const examiner = await makeExaminer();
const never = new AbortController().signal;

// test/campaigns/lab/lessons/exercises.test.ts has the solutions.
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
