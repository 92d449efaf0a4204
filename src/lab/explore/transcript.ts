import { sessionOf } from './choices.ts';
import { names } from './history.ts';
import type { ToldAct, ToldSchedule, ToldStep } from './told.ts';

const COLUMN = 48;
const MARGIN = 6;
/** The width of an event, which stands over the columns. */
const WIDTH = 90;

/**
 * Prints a schedule with a column for each session: statements and their results, who waited for whom,
 * and which snapshots were too old. A program that ran afterwards ran alone, so it is below in the
 * first column. The same schedule prints the same text.
 */
export function transcript(told: Omit<ToldSchedule, 'transcript'>): string {
  const { sessions, steps, endings, faults, summary, schedule, afterwards } = told;
  const heads = Array.from({ length: sessions }, (_, index) => `S${index + 1}`);
  const printed = steps.map((step, index) => printStep(step, index, sessions));
  const later = printed.slice(schedule.length);
  const lines = [
    ' '.repeat(MARGIN) + heads.map((head) => head.padEnd(COLUMN)).join(''),
    ...shorten(printed.slice(0, schedule.length)).flat(),
    ...endings.flatMap((ending, index) =>
      ending === null ? [] : inColumn('', index + 1, [`= ${ending}`]),
    ),
    ...(later.length > 0 ? ['', `${' '.repeat(MARGIN)}afterwards`, ...shorten(later).flat()] : []),
    ...(afterwards === null ? [] : inColumn('', 1, [`= ${afterwards}`])),
    ...(summary ? ['', [summary, faults.join(', ').toUpperCase()].filter(Boolean).join(': ')] : []),
  ];
  return lines.map((line) => line.trimEnd()).join('\n');
}

/**
 * The most steps that are printed. The middle of a longer schedule is left out. Nearly always such
 * a schedule never ends, and its middle repeats itself.
 */
const MOST_STEPS = 40;

function shorten(steps: string[][]): string[][] {
  if (steps.length <= MOST_STEPS) return steps;
  const left = MOST_STEPS / 2;
  const skipped = [`      … ${steps.length - left} more steps …`];
  return [...steps.slice(0, left / 2), skipped, ...steps.slice(-left / 2)];
}

function printStep({ choice, event, acts }: ToldStep, index: number, sessions: number): string[] {
  const label = String(index + 1).padStart(3);
  const lines = [];
  if (event) lines.push(...wrapAt(`${label}   `, `-- ${event} --`, WIDTH));
  else if (acts.length === 0)
    lines.push(...inColumn(label, sessionOf(choice), ['<waiting for something in memory>']));
  for (const act of acts) {
    const column = act.session > sessions ? 1 : act.session;
    lines.push(...inColumn(lines.length === 0 ? label : '', column, printAct(act)));
  }
  return lines;
}

function printAct({ statement, progress, result, note, waitsFor }: ToldAct): string[] {
  if (progress === 'waits') return [statement, `<waiting for ${names(waitsFor)}>`];
  const said = progress === 'ran' ? statement : `<… ${statement.split(' ')[0]} completed>`;
  return [said, ...(result ? [`→ ${result}`] : []), ...(note ? [`(${note})`] : [])];
}

/** Breaks a text into lines of this width. The first line begins with the label. */
const wrapAt = (label: string, text: string, width: number): string[] =>
  wrap(text, width).map((line, index) => (index === 0 ? label : ' '.repeat(MARGIN)) + line);

/** Prints paragraphs in the column of a session, with the label in the margin of the first line. */
function inColumn(label: string, session: number, paragraphs: string[]): string[] {
  const indent = MARGIN + (session - 1) * COLUMN;
  return paragraphs
    .flatMap((paragraph) => wrap(paragraph, COLUMN - 2))
    .map((line, index) => (index === 0 ? label.padEnd(indent) : ' '.repeat(indent)) + line);
}

/** Breaks a text into lines at spaces. All lines but the first are indented. */
function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line && line.length + 1 + word.length > width) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}
