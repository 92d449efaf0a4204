import path from 'node:path';
import { expect, test } from 'vitest';
import { type Lesson, readLessons } from '../../../src/lab/lessons/lesson.ts';
import { claimWithLine, expectOneLine, makeExamination } from '../../support/coach.ts';

const [, scheduling, , locking] = readLessons() as [Lesson, Lesson, Lesson, Lesson];
const { folder, examine } = await makeExamination();
const shown = path.relative(process.cwd(), folder);

// test/slow/lab/coach/examiner.test.ts has more mistakes. Each trial starts a process.
test('wrong-type.ts is told in one line, with the line of the file', async () => {
  const attempt = await examine(
    locking,
    'wrong-type.ts',
    claimWithLine("return { kind: 'maybe' };"),
  );
  const words = /:5: Type '"maybe"' is not assignable/;
  expectOneLine(attempt, path.join(folder, 'wrong-type.ts'), words);
});

test('a choice that is none is refused in one line', async () => {
  expect(await examine(scheduling, 'schedule.txt', '1, 2, x')).toEqual({
    kind: 'unusable',
    line: `${shown}/schedule.txt:1: "x" is no choice. Write 1 or 2 for a step of this session.`,
  });
});
