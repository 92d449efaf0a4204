import { expect, test } from 'vitest';
import { readLessons, starterOf } from '../../../../src/lab/lessons/lesson.ts';
import { makeExaminer } from '../../../support/coach.ts';

const examiner = await makeExaminer();
const never = new AbortController().signal;

/**
 * One lesson of each kind. test/campaigns/lab/lessons/exercises.test.ts tests all lessons, and also
 * their solutions.
 */
const SOME = [2, 8, 10, 14];

test.each(readLessons().filter(({ number }) => SOME.includes(number)))(
  'the starter of lesson $number, $title, fails as the lesson says',
  async (lesson) => {
    expect(await examiner.examine(lesson, starterOf(lesson), never)).toMatchObject({
      kind: 'falls',
      result: lesson.exercise.starter,
      shown: { transcript: expect.stringContaining('S1') },
    });
  },
);
