import { expect, test } from 'vitest';
import { answerExaminer, answers, attemptAnswer } from '../../../support/lesson-answers.ts';
import { makeStage } from '../../../support/stage.ts';

const examine = await answerExaminer();
const stage = await makeStage();

// test/campaigns/lab/lessons/answers.test.ts has every answer.
const some = answers.filter(([, words]) =>
  ['begins with 1, 1, 2', 'is full for everybody'].includes(words),
);
test.each(some)('lesson %i: the coach gives the expected result if a student %s', examine);

// This answer goes wrong only if the job has no claim yet, because then there is no row to lock.
const caught = answers.filter(([, words]) => words === 'locks the claims');
test.each(caught)('lesson %i: the coach catches a student who %s', async (...answer) => {
  const { found, result } = await attemptAnswer(stage, answer);
  expect(found).toMatchObject({ kind: 'falls', result });
});
