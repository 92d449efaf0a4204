import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Examiner } from '../../../../src/lab/coach/examiner.ts';
import type { AttemptResult } from '../../../../src/lab/lessons/attempt-strategy.ts';
import { type Lesson, readLessons, starterOf } from '../../../../src/lab/lessons/lesson.ts';
import { claimWithLine, expectOneLine, makeExamination } from '../../../support/coach.ts';
import { makeLabDatabase } from '../../../support/database.ts';

const [, scheduling, , locking] = readLessons() as [Lesson, Lesson, Lesson, Lesson];
const { folder, examiner, examine } = await makeExamination();
const never = new AbortController().signal;
const shown = path.relative(process.cwd(), folder);

test.each([
  [
    'missing-import.ts',
    `import { x } from 'rowlock/no-such.ts';\n${claimWithLine('')}`,
    /:1: Cannot find module/,
  ],
  [
    'missing-name.ts',
    claimWithLine('await insertClaim(db, request);'),
    /:5: Cannot find name 'insertClaim'/,
  ],
  ['syntax.ts', claimWithLine('if (request {'), /:5: '\)' expected/],
  [
    'wrong-sql.ts',
    claimWithLine("await db.execute('selec 1');"),
    /: PostgresError: syntax error at or near "selec"/,
  ],
  [
    'db-inside.ts',
    claimWithLine(
      "await db.transaction(async (tx) => [await tx.execute('select 1'), await db.execute('select 2')]);",
    ),
    /:5: db was used inside a transaction of db: use tx there\. .+$/,
  ],
  [
    'throws.ts',
    claimWithLine('const job: any = undefined; job.capacity;'),
    /:5: TypeError: Cannot read/,
  ],
  ['not-awaited.ts', claimWithLine("Promise.reject(new Error('lost'));"), /:5: Error: lost/],
])('the mistake in %s is reported in one line', async (name, text, words) => {
  const attempt = await examine(locking, name, text);
  expectOneLine(attempt, path.join(folder, name), words);
});

test('a wrong type is reported in one line, with the number of the line in the file', async () => {
  const attempt = await examine(
    locking,
    'wrong-type.ts',
    claimWithLine("return { kind: 'maybe' };"),
  );
  const words = /:5: Type '"maybe"' is not assignable/;
  expectOneLine(attempt, path.join(folder, 'wrong-type.ts'), words);
});

test('a schedule with the choice "x" is refused in one line', async () => {
  expect(await examine(scheduling, 'schedule.txt', '1, 2, x')).toEqual({
    kind: 'unusable',
    line: `${shown}/schedule.txt:1: "x" is no choice. Write 1 or 2 for a step of this session.`,
  });
});

test('a schedule with too many choices is refused in one line', async () => {
  expect(await examine(scheduling, 'schedule.txt', '# a comment\n1, 1\n1, 2, 2')).toEqual({
    kind: 'unusable',
    line: `${shown}/schedule.txt:3: everybody has ended before step 5. Your order has 1 step too many.`,
  });
});

test('a file that ends its process is reported in one line', async () => {
  const attempt = await examine(locking, 'exits.ts', claimWithLine('process.exit(3);'));
  const words = 'it ends the whole process, with code 3. Remove process.exit.';
  expect(attempt).toMatchObject({ line: `${shown}/exits.ts: ${words}` });
});

test('the first line that a file prints is reported, and much output does no harm', async () => {
  const file = path.join(folder, 'prints.ts');
  writeFileSync(
    file,
    claimWithLine("for (const line of ['one', 'two', 'x'.repeat(1e7)]) console.log(line);"),
  );
  const printed: string[] = [];
  const onPrint = (line: string) => void printed.push(line);
  expect(await examiner.examine(locking, file, never, { onPrint })).toHaveProperty('kind');
  expect(printed).toEqual(['one']);
});

test('a trial that is stopped throws the reason, and the next trial works', async () => {
  const stop = new AbortController();
  const endless = claimWithLine('while (true) {}');
  const givenUp = examine(locking, 'endless-too.ts', endless, stop.signal);
  stop.abort(new Error('given up'));
  await expect(givenUp).rejects.toThrow('given up');
  const file = path.join(folder, 'next.ts');
  copyFileSync(starterOf(locking), file);
  expect(await examiner.examine(locking, file, never)).toMatchObject({ kind: 'falls' });
});

test('if no process can start, the trial throws the reason, and the next trial has a new process', async () => {
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

test('the first fault is reported before the other situations are played', async () => {
  const file = path.join(folder, 'first.ts');
  copyFileSync(starterOf(locking), file);
  const firsts: AttemptResult[] = [];
  const onFirst = (attempt: AttemptResult) => void firsts.push(attempt);
  const last = await examiner.examine(locking, file, never, { onFirst });
  expect(firsts[0]).toMatchObject({ kind: 'falls', says: expect.not.stringContaining('also') });
  expect(last).toMatchObject({
    kind: 'falls',
    says: expect.stringContaining('It also goes wrong'),
  });
});
