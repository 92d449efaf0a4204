import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Stage } from '../../src/explorer/stage.ts';
import { attempt } from '../../src/lab/lessons/attempt.ts';
import {
  extensionOf,
  type Lesson,
  readLessons,
  solutionOf,
  starterOf,
} from '../../src/lab/lessons/lesson.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { makeExaminer } from './coach.ts';
import { atEnd, makeTmpDir } from './command.ts';

type Change = readonly [from: string | RegExp, to: string];

type Answer = [
  lesson: number,
  words: string,
  fileOf: (lesson: Lesson) => string,
  changes: Change[],
  result: string,
];

const lessons = readLessons();

/** The line of lesson 4 that should lock the job. */
const LOCK = /^ {4}await tx\.select.+$/m;

/**
 * The answers of students that the plan for teachers names, as changes of a starter or solution.
 */
export const answers: Answer[] = [
  [2, 'begins with 1, 1, 2', starterOf, [[/^1,.+$/m, '1, 1, 2']], 'oversold'],
  [
    4,
    'locks after the count',
    starterOf,
    [
      [/^ {4}await tx\.select.+\n/m, ''],
      [
        '    const claim',
        "    await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');\n    const claim",
      ],
    ],
    'oversold in last-slot',
  ],
  [
    4,
    'locks the table',
    starterOf,
    [[LOCK, "    await tx.execute('lock table jobs in exclusive mode');"]],
    'holds',
  ],
  [
    4,
    'locks the claims',
    starterOf,
    [[LOCK, "    await tx.execute('select from job_claims for update');"]],
    'oversold in first-slot',
  ],
  [
    4,
    'locks the newest claim',
    starterOf,
    [[LOCK, "    await tx.execute('select from job_claims order by id desc limit 1 for update');"]],
    'oversold in first-slot',
  ],
  [
    6,
    'is full for everybody',
    solutionOf,
    [
      [
        "if (decision.kind !== 'granted') return decision;",
        "if (decision.kind === 'granted')\n      return { kind: 'full', slots: slotsOf(4, 4) };",
      ],
      [/ {4}const inserted[\s\S]+?\n {2}\}\);/, '    return decision;\n  });'],
      [
        'import type { ClaimRequest, Outcome }',
        'import { type ClaimRequest, type Outcome, slotsOf }',
      ],
    ],
    'unsold in last-slot',
  ],
  [
    6,
    'answers full after every error',
    solutionOf,
    [
      ['  return db.transaction(', '  try {\n  return await db.transaction('],
      [
        /\}\);\n\}\n$/,
        "});\n  } catch {\n    return { kind: 'full', slots: slotsOf(4, 4) };\n  }\n}\n",
      ],
      [
        'import type { ClaimRequest, Outcome }',
        'import { type ClaimRequest, type Outcome, slotsOf }',
      ],
    ],
    'unsold in failing',
  ],
  [
    7,
    'answers full after every error',
    starterOf,
    [
      [
        'tryOnce(db, request);',
        "tryOnce(db, request).catch(() => ({ kind: 'full', slots: slotsOf(4, 4) }));",
      ],
      [
        'import type { ClaimRequest, Outcome }',
        'import { type ClaimRequest, type Outcome, slotsOf }',
      ],
    ],
    'unsold in two-slots',
  ],
  [7, 'tries only twice', solutionOf, [['TRIES = 10', 'TRIES = 2']], 'falls in the crowd'],
  [7, 'tries for ever', solutionOf, [['tries <= TRIES', 'tries > 0']], 'wrong tries'],
  [
    7,
    'tries again after every error',
    solutionOf,
    [[/ {6}if \(databaseError.+\n/, '']],
    'wrong tries',
  ],
  [
    7,
    'takes the lock after all',
    solutionOf,
    [
      ["{ isolationLevel: 'serializable' }", "{ isolationLevel: 'read committed' }"],
      ['const decision', "await tx.execute('select from jobs for update');\n      const decision"],
    ],
    'holds',
  ],
  [
    8,
    'tries again after a deadlock',
    starterOf,
    [
      ['export default async function claim(', 'async function once('],
      [
        /$/,
        '\nexport default (db: Database, request: ClaimRequest) =>\n  once(db, request).catch(() => once(db, request));\n',
      ],
    ],
    'deadlock in last-slot',
  ],
  [
    9,
    'asks for a longer lease',
    starterOf,
    [["interval '10 seconds'", "interval '10 minutes'"]],
    'oversold in last-slot',
  ],
  [
    9,
    'checks the lease before the insert, in a statement of its own',
    starterOf,
    [
      [
        '    return await db.transaction(',
        `    const [lease] = await db.select().from(leases).where(eq(leases.jobId, request.jobId));
    if (lease?.token !== token) return { kind: 'busy' };
    return await db.transaction(`,
      ],
    ],
    'oversold in last-slot',
  ],
];

/** Returns a function that examines an answer, and asserts the result. */
export async function answerExaminer() {
  // The types of a file are checked only below the folder of the lessons.
  mkdirSync(inProject('workshop/mine'), { recursive: true });
  const folder = mkdtempSync(inProject('workshop/mine/test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const examiner = await makeExaminer();
  return async (...answer: Answer) => {
    const { lesson, text, result } = answered(answer);
    const file = path.join(folder, `answer.${extensionOf(lesson)}`);
    writeFileSync(file, text);
    const attempt = await examiner.examine(lesson, file, new AbortController().signal);
    expect(attempt).toMatchObject({ result });
  };
}

/** Tries an answer in this process. Returns its result, and the expected result. */
export async function attemptAnswer(stage: Stage, answer: Answer) {
  const { lesson, text, result } = answered(answer);
  const file = path.join(makeTmpDir(), `answer.${extensionOf(lesson)}`);
  writeFileSync(file, text);
  return { found: await attempt(stage, lesson.exercise, file), result };
}

/** Returns the file of an answer, with its lesson and the expected result. */
export function answered([number, , fileOf, changes, result]: Answer) {
  const lesson = lessons[number - 1] as Lesson;
  let text = readFileSync(fileOf(lesson), 'utf8');
  for (const [from, to] of changes) {
    const changed = text.replace(from, to);
    expect(changed, `nothing matches ${from}`).not.toBe(text);
    text = changed;
  }
  return { lesson, text, result };
}
