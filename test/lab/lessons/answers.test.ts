import { expect, test } from 'vitest';
import { answers, attemptAnswer } from '../../support/lesson-answers.ts';
import { makeStage } from '../../support/stage.ts';

const stage = await makeStage();

// test/campaigns/lab/lessons/answers.test.ts has every answer. This answer is one schedule.
const short = answers.filter(([, words]) => words === 'begins with 1, 1, 2');

test.each(short)(
  'lesson %i: the coach sees the goal reached if a student %s',
  async (...answer) => {
    const { found, result } = await attemptAnswer(stage, answer);
    expect(found).toMatchObject({ kind: 'solved', result });
  },
);
