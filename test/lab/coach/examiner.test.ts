import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Examiner } from '../../../src/lab/coach/examiner.ts';
import type { Attempt } from '../../../src/lab/lessons/attempt.ts';
import { type Lesson, readLessons, starterOf } from '../../../src/lab/lessons/lesson.ts';
import { claimWithLine, expectOneLine, makeExamination } from '../../support/coach.ts';
import { makeLabDatabase } from '../../support/database.ts';

const [, scheduling, , locking] = readLessons() as [Lesson, Lesson, Lesson, Lesson];
const { folder, examiner, examine } = await makeExamination();
const never = new AbortController().signal;
const shown = path.relative(process.cwd(), folder);

// test/slow/lab/coach/examiner.test.ts has more mistakes. Each trial starts a process.
test.each([
  ['wrong-type.ts', "return { kind: 'maybe' };", /:5: Type '"maybe"' is not assignable/],
  ['throws.ts', 'const job: any = undefined; job.capacity;', /:5: TypeError: Cannot read/],
])('%s is told in one line, with the line of the file', async (name, line, words) => {
  const attempt = await examine(locking, name, claimWithLine(line));
  expectOneLine(attempt, path.join(folder, name), words);
});

test('a choice that is none is refused in one line', async () => {
  expect(await examine(scheduling, 'schedule.txt', '1, 2, x')).toEqual({
    kind: 'unusable',
    line: `${shown}/schedule.txt:1: "x" is no choice. Write 1 or 2 for a step of this session.`,
  });
});

test('the first fault is told before the other situations are played', async () => {
  const file = path.join(folder, 'first.ts');
  copyFileSync(starterOf(locking), file);
  const firsts: Attempt[] = [];
  const onFirst = (attempt: Attempt) => void firsts.push(attempt);
  const last = await examiner.examine(locking, file, never, { onFirst });
  expect(firsts[0]).toMatchObject({ kind: 'falls', says: expect.not.stringContaining('also') });
  expect(last).toMatchObject({
    kind: 'falls',
    says: expect.stringContaining('It also goes wrong'),
  });
});

test('a process that cannot start is told, and the next save finds a new process', async () => {
  const url = await makeLabDatabase();
  const { execPath } = process;
  process.execPath = path.join(folder, 'no-node');
  const poor = new Examiner([url], ['--import', 'tsx']);
  await new Promise(setImmediate);
  process.execPath = execPath;
  const file = path.join(folder, 'again.ts');
  writeFileSync(file, claimWithLine('process.exit(3);'));
  await expect(poor.examine(locking, file, never)).rejects.toThrow('cannot start another process');
  expect(await poor.examine(locking, file, never)).toMatchObject({
    line: expect.stringContaining('with code 3'),
  });
  await poor.close();
});
