import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { Coach } from '../../src/lab/coach/coach.ts';
import { Desk } from '../../src/lab/coach/desk.ts';
import { Examiner } from '../../src/lab/coach/examiner.ts';
import type { AttemptResult } from '../../src/lab/lessons/attempt-strategy.ts';
import { type Lesson, readLessons } from '../../src/lab/lessons/lesson.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { atEnd, makeTmpDir } from './command.ts';
import { makeLabDatabase } from './database.ts';

/** Makes an examiner with two new databases. Its processes can run TypeScript. */
export async function makeExaminer() {
  const urls = [await makeLabDatabase(), await makeLabDatabase()];
  const examiner = new Examiner(urls, ['--import', 'tsx']);
  atEnd(() => examiner.close());
  return examiner;
}

/** Makes an examiner, and a function that examines a text as the file of a lesson. */
export async function makeExamination() {
  // The types of a file are checked only below the folder of the lessons.
  mkdirSync(inProject('workshop/mine'), { recursive: true });
  const folder = mkdtempSync(inProject('workshop/mine/test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const examiner = await makeExaminer();
  const never = new AbortController().signal;
  return {
    folder,
    examiner,
    async examine(lesson: Lesson, name: string, text: string, stop = never) {
      const file = path.join(folder, name);
      writeFileSync(file, text);
      return examiner.examine(lesson, file, stop);
    },
  };
}

const CLAIM = `import type { ClaimRequest, Outcome } from 'rowlock/service/claims/rules.ts';
import type { Database } from 'rowlock/platform/db/client.ts';

export default async function claim(db: Database, request: ClaimRequest): Promise<Outcome> {
  HERE
  return { kind: 'busy' };
}
`;

/** Returns the code of a claim with this line as line 5. */
export const claimWithLine = (line: string) => CLAIM.replace('HERE', line);

/** Asserts that the student gets one line, which begins with the path of the file. */
export function expectOneLine(attempt: AttemptResult, file: string, words: RegExp) {
  if (attempt.kind !== 'unusable') throw new Error(`the file is ${attempt.kind}`);
  expect(attempt.line).toMatch(words);
  expect(attempt.line.startsWith(`${path.relative(process.cwd(), file)}:`)).toBe(true);
  expect(attempt.line).not.toContain('\n');
}

/** Returns a function that makes coaches, each with a screen that tests can read. */
export async function coachMaker() {
  const examiner = await makeExaminer();
  return (lesson: Lesson, folder = makeTmpDir()) => {
    const desk = new Desk(folder);
    let screen = '';
    const show = (text: string) => {
      screen = text;
    };
    const paint = (_style: unknown, text: string) => text;
    const width = () => 80;
    const room = { lessons: readLessons(), desk, examiner, paint, width, show };
    const coach = new Coach(room, desk.readProgress(), lesson);
    atEnd(() => coach.close());
    return {
      coach,
      desk,
      file: desk.fileOf(lesson),
      screen: () => screen,
      press(keys: string) {
        for (const key of keys) coach.press(key);
      },
      shows: (words: RegExp) => expect.poll(() => screen, POLL).toMatch(words),
    };
  };
}

const POLL = { timeout: 120_000, interval: 20 };
