import { test } from 'vitest';
import { answerExaminer, answers } from '../../../support/lesson-answers.ts';

const examine = await answerExaminer();

test.each(answers)('lesson %i: a student who %s', examine);
