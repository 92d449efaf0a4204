import { z } from 'zod';
import { isDumbTerminal } from '../src/config.ts';
import { Coach } from '../src/lab/coach/coach.ts';
import { Desk, resumeAt } from '../src/lab/coach/desk.ts';
import { Examiner } from '../src/lab/coach/examiner.ts';
import { describeAttempt } from '../src/lab/coach/screen.ts';
import { redraw } from '../src/lab/coach/terminal.ts';
import type { Attempt } from '../src/lab/lessons/attempt.ts';
import { type Lesson, readLessons, solutionOf, starterOf } from '../src/lab/lessons/lesson.ts';
import { UsageError } from '../src/process/errors.ts';
import { runMain, unlessStopped } from '../src/process/main.ts';
import { readOptions, wholeNumber } from '../src/process/options.ts';
import { print, printable } from '../src/process/print.ts';
import { withScratchDatabase, withTwoScratchDatabases } from './arena.ts';
import { paint } from './paint.ts';

const lessons = readLessons();

const HELP = `Leads you through the lessons on locking, and judges your file each time you save it.

Usage: npm run workshop -- [options]

  --lesson N         begin with this lesson (1 to ${lessons.length}; default: where you
                     stopped, or the next lesson that is not solved)
  --check            try the starter and the solution of every lesson, or of --lesson
  --help             show this

Your files and your progress are in the folder workshop/mine. The folder
workshop has the lessons, and a plan for teachers in its README.md.

Keys: a to d predict, h shows a hint, n goes to the next lesson, l lists the lessons,
r brings the file back as it was, q quits.

Without a terminal, the command judges your file once. Exit code: 0 when the file
solves the lesson or you quit, 1 when it does not, 2 when the file cannot be judged or the
command could not run as asked.
`;

const rules = z.object({
  lesson: wholeNumber('--lesson', 1, lessons.length).optional(),
  check: z.boolean().default(false),
  help: z.boolean().default(false),
});

const FAILED = 2;

runMain(async (stop) => {
  const { options } = readOptions('workshop', rules, {
    options: { lesson: { type: 'string' }, check: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  if (options.check) {
    const checked = lessons.filter(({ number }) => number === (options.lesson ?? number));
    return withTwoScratchDatabases(stop, (urls) =>
      withExaminer(urls, (examiner) => check(checked, examiner, stop)),
    );
  }
  const desk = new Desk();
  const progress = desk.readProgress();
  const lesson = lessonOf(options.lesson ?? resumeAt(lessons, progress));
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (!isTerminal)
    return withScratchDatabase(stop, (url) =>
      withExaminer([url], (examiner) => judgeOnce(lesson, desk.fileOf(lesson), examiner, stop)),
    );
  print('Starting PostgreSQL …\n');
  return withTwoScratchDatabases(stop, (urls) =>
    withExaminer(urls, (examiner) =>
      lead(new Coach({ lessons, desk, examiner, paint, width, show }, progress, lesson), stop),
    ),
  );
}, FAILED);

function lessonOf(wanted: number): Lesson {
  const [first] = lessons;
  const lesson = lessons.find(({ number }) => number === wanted) ?? first;
  if (!lesson) throw new UsageError('There are no lessons.');
  return lesson;
}

async function withExaminer(urls: string[], work: (examiner: Examiner) => Promise<number>) {
  const examiner = new Examiner(urls);
  try {
    return await work(examiner);
  } finally {
    await examiner.close();
  }
}

const USUAL_WIDTH = 80;
/** Some terminals report no width, or the width 0. */
const width = () => process.stdout.columns || USUAL_WIDTH;
const USUAL_ROWS = 24;
const rows = () => process.stdout.rows || USUAL_ROWS;

const LINE = `\n${'-'.repeat(40)}\n`;

let last = '';

/** Replaces the text on the screen. The same text again would only make the screen flicker. */
function show(text: string, isInterim: boolean) {
  if (text === last || (isInterim && isDumbTerminal())) return;
  const shown = printable(text);
  const change = redraw(printable(last), shown, { rows: rows(), columns: width() });
  last = text;
  process.stdout.write(isDumbTerminal() ? `${LINE}${shown}` : change);
}

/** In this mode the terminal sends Ctrl-C as a key. */
const CTRL_C = '\x03';

async function lead(coach: Coach, stop: AbortSignal): Promise<number> {
  const { stdin, stdout } = process;
  // The terminal has broken the old lines at its new width.
  stdout.on('resize', () => {
    last = '';
    coach.show();
  });
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.on('data', (keys: string) => {
    if (keys.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
    // Arrows and function keys arrive as several characters, and do nothing.
    else if (!keys.startsWith('\x1b')) for (const key of keys) coach.press(key);
  });
  // The terminal has gone.
  stdin.once('end', () => coach.press('q'));
  try {
    await unlessStopped(stop, coach.left);
    return 0;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    coach.close();
  }
}

const EXIT = { solved: 0, falls: 1, unusable: FAILED } as const;

async function judgeOnce(
  lesson: Lesson,
  file: string,
  examiner: Examiner,
  stop: AbortSignal,
): Promise<number> {
  const attempt = await examiner.examine(lesson, file, stop);
  print(`Lesson ${lesson.number}: ${lesson.title}\n${describeAttempt(attempt, paint)}\n`);
  return EXIT[attempt.kind];
}

/** Whether each starter fails as its lesson says, and each solution solves the exercise. */
async function check(checked: Lesson[], examiner: Examiner, stop: AbortSignal): Promise<number> {
  let wrong = 0;
  for (const lesson of checked) {
    const [starter, solution] = await Promise.all([
      examiner.examine(lesson, starterOf(lesson), stop),
      examiner.examine(lesson, solutionOf(lesson), stop),
    ]);
    const fails = starter.kind === 'falls' && starter.result === lesson.exercise.starter;
    if (!fails || solution.kind !== 'solved') wrong++;
    const title = `${String(lesson.number).padStart(2)}. ${lesson.title}`;
    print(
      `${title}\n    starter:  ${verdict(fails, starter)}\n    solution: ${verdict(solution.kind === 'solved', solution)}\n`,
    );
  }
  print(wrong === 0 ? 'Every lesson is as it says.\n' : `${wrong} lessons are not as they say.\n`);
  return wrong === 0 ? 0 : 1;
}

function verdict(isRight: boolean, attempt: Attempt): string {
  const result = attempt.kind === 'unusable' ? attempt.line : attempt.result;
  return `${isRight ? paint('green', 'right') : paint('red', 'WRONG')} (${result})`;
}
