import { type NameOf, nameFrom, names, sessionOf } from './choice.ts';
import type { ToldAct, ToldSchedule, ToldStep } from './told.ts';

const MARGIN = 6;
/** The space between two columns. */
const SPACE = 2;
/** Wider columns do not help, and narrower columns break most statements into single words. */
const COLUMN = { most: 48, least: 22 };
/** The maximum width of an event. An event stands across the columns. */
const MOST_WIDTH = 90;

type Headed = Pick<ToldSchedule, 'sessions' | 'names'>;

/** The columns of a transcript. */
interface Columns {
  sessions: number;
  column: number;
  /** The width of an event. */
  width: number;
  nameOf: NameOf;
}

function columnsOf({ sessions, names: given }: Headed, width: number): Columns {
  const fitting = Math.floor((width - MARGIN + SPACE) / sessions);
  const column = Math.max(COLUMN.least, Math.min(COLUMN.most, fitting));
  return {
    sessions,
    column,
    width: Math.min(MOST_WIDTH, width - MARGIN),
    nameOf: nameFrom(given),
  };
}

/**
 * Returns a schedule as text with a column for each session. The text shows the statements, the
 * results, the waits, and the snapshots that were too old. A program that runs afterwards runs
 * alone, so the text shows this program last, in the first column under `afterwards`. The same
 * schedule always gives the same text. `width` is the maximum width of a line.
 */
export function transcript(
  told: Omit<ToldSchedule, 'transcript'>,
  width = Number.POSITIVE_INFINITY,
): string {
  const { sessions, names: given, steps, endings, faults, summary, schedule, afterwards } = told;
  const columns = columnsOf(told, width);
  const heads = Array.from({ length: sessions }, (_, index) =>
    `S${index + 1} ${given?.[index] ?? ''}`.trim(),
  );
  const printed = steps.map((step, index) => printStep(step, index, columns));
  const later = printed.slice(schedule.length);
  const lines = [
    ' '.repeat(MARGIN) + heads.map((head) => head.padEnd(columns.column)).join(''),
    ...shorten(printed.slice(0, schedule.length)).flat(),
    ...endings.flatMap((ending, index) =>
      ending === null
        ? []
        : inColumn('', index + 1, columns, [`= ${ending}${sayStep(steps, index + 1)}`]),
    ),
    ...(later.length > 0 ? ['', 'afterwards', ...shorten(later).flat()] : []),
    ...(afterwards === null ? [] : inColumn('', 1, columns, [`= ${afterwards}`])),
    ...(summary ? ['', ...wrap(sumUp(summary, faults), width)] : []),
  ];
  return lines.map((line) => line.trimEnd()).join('\n');
}

/**
 * Names the step at which a session ended or died, because the end of the transcript does not show
 * in which order the sessions ended.
 */
function sayStep(steps: ToldStep[], session: number): string {
  const at = steps.findIndex(({ dead, ended }) => [...dead, ...ended].includes(session));
  return at < 0 ? '' : ` (step ${at + 1})`;
}

const sumUp = (summary: string, faults: string[]) =>
  `${summary}: ${faults.join(', ').toUpperCase() || 'no fault'}`;

/**
 * The maximum number of printed steps. We leave out the middle of a longer schedule. Nearly all
 * such schedules never end, and their middle only repeats the same steps.
 */
export const MOST_STEPS = 40;

function shorten(steps: string[][]): string[][] {
  if (steps.length <= MOST_STEPS) return steps;
  const left = MOST_STEPS / 2;
  const skipped = [`      … ${steps.length - left} more steps …`];
  return [...steps.slice(0, left / 2), skipped, ...steps.slice(-left / 2)];
}

function printStep(
  { choice, event, acts, silence }: ToldStep,
  index: number,
  columns: Columns,
): string[] {
  const label = String(index + 1).padStart(3);
  const lines = [];
  if (event) lines.push(...wrapAt(`${label}   `, `-- ${event} --`, columns.width));
  else if (silence)
    lines.push(...inColumn(label, sessionOf(choice) || 1, columns, [SILENCE[silence]]));
  for (const act of acts) {
    const session = act.session > columns.sessions ? 1 : act.session;
    lines.push(
      ...inColumn(lines.length === 0 ? label : '', session, columns, printAct(act, columns.nameOf)),
    );
  }
  return lines;
}

const SILENCE = {
  'waits in memory': '<waiting for something in memory>',
  ends: '<ends without a statement>',
} as const;

function printAct(
  { statement, progress, result, note, waitsFor }: ToldAct,
  nameOf: NameOf,
): string[] {
  const said = progress === 'completed' ? `<… ${statement.split(' ')[0]} completed>` : statement;
  const wait = progress === 'waits' ? [`<waiting for ${names(waitsFor, nameOf)}>`] : [];
  return [said, ...wait, ...(result ? [`→ ${result}`] : []), ...(note ? [`(${note})`] : [])];
}

/** Breaks a text into lines of this width. The first line begins with the label. */
const wrapAt = (label: string, text: string, width: number): string[] =>
  wrap(text, width).map((line, index) => (index === 0 ? label : ' '.repeat(MARGIN)) + line);

/** Prints paragraphs in the column of a session, with the label in the margin of the first line. */
function inColumn(
  label: string,
  session: number,
  { column }: Columns,
  paragraphs: string[],
): string[] {
  const indent = MARGIN + (session - 1) * column;
  return paragraphs
    .flatMap((paragraph) => wrap(paragraph, column - SPACE))
    .map((line, index) => (index === 0 ? label.padEnd(indent) : ' '.repeat(indent)) + line);
}

/** Breaks a text into lines at spaces. Indents all lines except the first line. */
function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line && line.length + 1 + word.length > width) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}
