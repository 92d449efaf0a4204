import { Coach } from '../src/lab/coach/coach.ts';
import { Desk, resumeAt } from '../src/lab/coach/desk.ts';
import { Examiner } from '../src/lab/coach/examiner.ts';
import { describeAttempt } from '../src/lab/coach/screen.ts';
import { redraw } from '../src/lab/coach/terminal.ts';
import type { AttemptResult } from '../src/lab/lessons/attempt-strategy.ts';
import { type Lesson, readLessons, solutionOf, starterOf } from '../src/lab/lessons/lesson.ts';
import { flag, runCommand, whole } from '../src/platform/process/command.ts';
import { isDumbTerminal } from '../src/platform/process/environment.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { unlessStopped } from '../src/platform/process/main.ts';
import { print, printable } from '../src/platform/process/print.ts';
import { readConfig } from '../src/service/config/config.ts';
import { withScratchDatabase, withTwoScratchDatabases } from './arena.ts';
import { paint } from './paint.ts';

const lessons = readLessons();

const command = {
  name: 'workshop',
  purpose: 'Leads you through the lessons on locking, and judges your file each time you save it.',
  options: {
    lesson: {
      ...whole(1, lessons.length),
      words: 'begin with this lesson',
      usual: 'where you stopped, or the next lesson that is not solved',
    },
    check: flag('try the starter and the solution of every lesson, or of --lesson'),
  },
  notes: `Your files and your progress are in the folder workshop/mine. The folder
workshop has the lessons, and a plan for teachers in its README.md.

Keys: a to d predict, h shows a hint, n goes to the next lesson, l lists the lessons, r
brings the file back as it was, q quits. In the list, a number and Enter open a lesson.

Without a terminal, the command judges your file once. Exit code: 0 when the file
solves the lesson or you quit, 1 when it does not, 2 when the file cannot be judged or the
command could not run as asked.`,
  failureCode: 2,
};

runCommand(command, async (options, stop) => {
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
  if (readConfig().databaseUrl === undefined) print('Starting PostgreSQL …\n');
  return withTwoScratchDatabases(stop, (urls) =>
    withExaminer(urls, (examiner) =>
      lead(new Coach({ lessons, desk, examiner, paint, width, show }, progress, lesson), stop),
    ),
  );
});

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
/** Returns the width of the terminal. Some terminals report no width, or the width 0. */
const width = () => process.stdout.columns || USUAL_WIDTH;
const USUAL_ROWS = 24;
const rows = () => process.stdout.rows || USUAL_ROWS;

const LINE = `\n${'-'.repeat(40)}\n`;

let last = '';

/** Replaces the text on the screen. Does not write the same text again, so nothing flickers. */
function show(text: string, isInterim: boolean) {
  if (text === last || (isInterim && isDumbTerminal())) return;
  const shown = printable(text);
  const change = redraw(printable(last), shown, { rows: rows(), columns: width() });
  last = text;
  process.stdout.write(isDumbTerminal() ? `${LINE}${shown}` : change);
}

/** The key that a terminal in raw mode sends for Ctrl-C. */
const CTRL_C = '\x03';

async function lead(coach: Coach, stop: AbortSignal): Promise<number> {
  const { stdin, stdout } = process;
  // The terminal has wrapped the old lines at its new width, so we show the whole text again.
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
  // stdin ends when the terminal is closed.
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

const EXIT = { solved: 0, falls: 1, unusable: command.failureCode } as const;

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

/**
 * Checks that each starter fails as its lesson says, and that each solution solves the exercise.
 */
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
  const all = checked.length === 1 ? 'The lesson is' : 'Every lesson is';
  const others = `${wrong} of ${checked.length} lessons checked are not as they say.`;
  print(wrong === 0 ? `${all} as it says.\n` : `${others}\n`);
  return wrong === 0 ? 0 : 1;
}

function verdict(isRight: boolean, attempt: AttemptResult): string {
  const result = attempt.kind === 'unusable' ? attempt.line : attempt.result;
  return `${isRight ? paint('green', 'right') : paint('red', 'WRONG')} (${result})`;
}
