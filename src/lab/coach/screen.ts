import { transcript } from '../../explorer/transcript.ts';
import { inFolder } from '../judge/place.ts';
import type { AttemptResult } from '../lessons/attempt-strategy.ts';
import { type Lesson, withoutComments } from '../lessons/lesson.ts';
import type { Progress } from './desk.ts';
import { foldRepeats } from './fold-repeats.ts';

/** Colours a text, or leaves the text as it is. */
export type Paint = (
  style: 'bold' | 'gray' | 'red' | 'green' | 'yellow' | 'cyan',
  text: string,
) => string;

/** Everything that the screen shows. */
export interface View {
  lessons: readonly Lesson[];
  lesson: Lesson;
  file: string;
  progress: Progress;
  /** The result of the student's file. Undefined while there is no result. */
  attempt: AttemptResult | undefined;
  /** How far the present trial is. Undefined if no trial runs. */
  where: string | undefined;
  /** The first line that the student's file has printed. */
  printed: string | undefined;
  /** The answer to the last key, and warnings. Each message has one line. */
  messages: string[];
  page: 'lesson' | 'list';
  /** How many characters fit into a line. */
  width: number;
}

/** Draws the screen: where the student is, the lesson, one result, and the keys. */
export function draw(view: View, paint: Paint): string {
  const parts = view.page === 'list' ? [list(view, paint)] : lessonPage(view, paint);
  return [
    head(view, paint),
    ...parts,
    ...view.messages.map((message) => paint('yellow', wrap(message, view.width))),
    keys(view, paint),
  ]
    .join('\n\n')
    .concat('\n');
}

function head({ lesson, lessons, progress }: View, paint: Paint): string {
  const where = `Lesson ${lesson.number} of ${lessons.length}: ${lesson.title}`;
  const solved = `${progress.solved.length} solved`;
  return `${paint('bold', where)}   ${paint('gray', `${lesson.minutes} minutes, ${solved}`)}`;
}

function lessonPage(view: View, paint: Paint): string[] {
  const { lesson, progress, file, attempt, width } = view;
  const predicted = progress.predicted[lesson.number];
  const goal = render(lesson.goal, paint, width);
  const choices = lesson.question.choices.map(({ letter, text }) => `  ${letter}. ${text}`);
  const question = [
    paint('bold', 'Predict'),
    render(lesson.question.text, paint, width),
    render(choices.join('\n'), paint, width),
  ].join('\n\n');
  // The goal may give the answer away, so it comes after the prediction.
  if (predicted === undefined) return [question];
  const where = `Your file: ${paint('cyan', inFolder(file))}`;
  if (attempt?.kind === 'solved')
    return [where, ...results(view, paint), ...commands(view, paint), understood(view, paint)];
  const task = [paint('bold', 'Task'), render(lesson.task, paint, width)].join('\n\n');
  // A transcript fills the screen. The lines that a student needs next stand below the transcript.
  return [goal, task, ...results(view, paint), ...hints(view, paint), where];
}

/** Shows the commands of the task again, since the task is not shown after the file is solved. */
function commands({ lesson, width }: View, paint: Paint): string[] {
  const blocks = lesson.task.match(CODE) ?? [];
  if (blocks.length === 0) return [];
  const shown = blocks.map((block) => render(block, paint, width));
  return [['The commands of the task:', ...shown].join('\n')];
}

function hints({ lesson, progress, width }: View, paint: Paint): string[] {
  const shown = lesson.hints.slice(0, progress.hints[lesson.number] ?? 0);
  if (shown.length === 0) return [];
  const text = shown.map((hint, index) => `Hint ${index + 1}: ${hint}`).join('\n');
  return [render(text, paint, width)];
}

function results({ attempt, where, printed, width }: View, paint: Paint): string[] {
  const more = attempt ? 'Looking further' : 'Trying your file';
  return [
    ...(attempt ? [describeAttempt(attempt, paint, width)] : []),
    ...(printed === undefined ? [] : [wrap(`Your file printed: ${printed}`, width)]),
    ...(where === undefined ? [] : [paint('gray', `${more}: ${where} …`)]),
  ];
}

/**
 * Describes the result of a file: one line about an unusable file, or the verdict and a schedule.
 */
export function describeAttempt(
  attempt: AttemptResult,
  paint: Paint,
  width = Number.POSITIVE_INFINITY,
): string {
  if (attempt.kind === 'unusable') return paint('red', wrap(attempt.line, width));
  const says =
    attempt.kind === 'solved'
      ? paint('green', wrap(`SOLVED. ${attempt.says}`, width))
      : paint('red', wrap(`NOT YET. ${attempt.says.replace(/^Not yet\. /, '')}`, width));
  if (!attempt.shown) return says;
  const schedule = `schedule: ${attempt.shown.schedule.join()}`;
  // The verdict comes last, since the top of a long text leaves the screen.
  return [transcript(foldRepeats(attempt.shown), width), schedule, says].join('\n\n');
}

function understood({ lesson, lessons, progress, width }: View, paint: Paint): string {
  const { answer, because } = lesson.question;
  return [
    `You predicted ${progress.predicted[lesson.number]}. The answer is ${answer}.`,
    render(because, paint, width),
    paint('bold', 'What you saw'),
    render(lesson.whatYouSaw, paint, width),
    lesson.number === lessons.length ? 'This was the last lesson.' : 'Press n for the next lesson.',
  ].join('\n\n');
}

function list({ lessons, lesson, progress }: View, paint: Paint): string {
  return lessons
    .map((each) => {
      const isSolved = progress.solved.includes(each.number);
      const mark = isSolved ? paint('green', '[x]') : '[ ]';
      const here = each.number === lesson.number ? '>' : ' ';
      return `${here} ${mark} ${String(each.number).padStart(2)}. ${each.title} (${each.minutes} minutes)`;
    })
    .join('\n');
}

function keys({ lesson, progress, page, attempt }: View, paint: Paint): string {
  if (page === 'list')
    return paint('gray', 'number and Enter: open a lesson   l back to the lesson   q quit');
  if (progress.predicted[lesson.number] === undefined) {
    const letters = lesson.question.choices.map(({ letter }) => letter.toLowerCase()).join(', ');
    return paint('gray', `${letters} your prediction   n next   l list   q quit`);
  }
  const used = progress.hints[lesson.number] ?? 0;
  const left = lesson.hints.length - used;
  const hint = attempt?.kind === 'solved' ? '' : `h hint (${left} left)   `;
  return paint('gray', `${hint}n next   l list   r the file as it was   q quit`);
}

/** The maximum width of a line of text. Longer lines are hard to read. */
const MOST_WIDTH = 92;

const CODE = /^(```[\s\S]*?^```)$/gm;

/**
 * Returns Markdown for a terminal: in short lines, without the signs for bold text, code and links.
 */
export function render(text: string, paint: Paint, width: number): string {
  const blocks = withoutComments(text).split(CODE);
  return blocks
    .map((block) => {
      const [, code] = /^```\w*\n([\s\S]*?)^```$/m.exec(block) ?? [];
      // A command stays whole, so a student can copy it.
      if (code !== undefined) return code.trimEnd().replaceAll(/^/gm, '    ');
      const plain = tablesAsLists(block).replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
      return paintMarks(wrap(plain, Math.min(width, MOST_WIDTH)), paint);
    })
    .join('');
}

const paintMarks = (text: string, paint: Paint): string =>
  text
    .replaceAll(/\*\*([^*]+)\*\*/g, (_, bold) => paint('bold', bold))
    .replaceAll(/``(.+?)``|`([^`]+)`/gs, (_, twice, once) => paint('cyan', (twice ?? once).trim()));

/** Turns each row of a table into a list under its first cell, since few rows fit into a line. */
const tablesAsLists = (text: string): string =>
  text.replaceAll(/(?:^\|.*\|$\n?)+/gm, (table) => {
    const [head = [], , ...rows] = table.trimEnd().split('\n').map(cellsOf);
    const items = rows.map(([name = '', ...cells]) =>
      [name, ...cells.map((cell, index) => `  ${head[index + 1]}: ${cell}`)].join('\n'),
    );
    return `${items.join('\n')}\n`;
  });

const cellsOf = (row: string) =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/**
 * Breaks each line at spaces, since a terminal breaks lines inside words. Keeps the indent of a
 * line.
 */
const wrap = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n');

function wrapLine(line: string, width: number): string {
  const [start = '', lead = ''] = /^( *)(?:(?:\d+|[A-D])\. |- )?/.exec(line) ?? [];
  const [first = '', ...words] = line.slice(lead.length).split(' ');
  const lines = [lead + first];
  for (const word of words) {
    const last = lines.at(-1) ?? '';
    if (last.length + 1 + word.length > width) lines.push(' '.repeat(start.length) + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}
