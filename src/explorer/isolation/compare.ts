import { PlainError } from '../../platform/process/errors.ts';
import { codeOf } from '../lexer.ts';
import type { StepResult } from '../step.ts';
import { readOutput, type TestedSchedule, type TestedStep } from './output.ts';
import type { Move } from './permutation.ts';
import type { Plan, Planned } from './plan.ts';
import { cellsOf, isSameRow } from './values.ts';

/** The first difference between our schedules and PostgreSQL's isolation tester, in words. */
export interface Difference {
  /** The number of the schedule, from 1. */
  number: number;
  schedule: string;
  words: string;
}

/**
 * Compares the output of the tester with our schedules. Returns the first difference, or undefined
 * if all schedules agree. Throws a `PlainError` if the output is not the whole output for this
 * plan.
 */
export function compare(plan: Plan, output: string): Difference | undefined {
  const tested = readOutput(output);
  checkWhole(plan, tested);
  for (const [index, permutation] of plan.permutations.entries()) {
    const words = differenceOf(permutation, tested[index] as TestedSchedule);
    if (words) return { number: index + 1, schedule: permutation.schedule, words };
  }
  return undefined;
}

const PLAYS = 5;

/**
 * Plays a plan with the tester, and compares the output. On a busy machine, the search for
 * deadlocks may begin only after the tester has sent the next step. PostgreSQL then aborts a
 * different session, or aborts the same session later. This happened in 1 of 60 plays of 18
 * schedules. So if a plan with deadlocks differs, we play the plan again.
 */
export async function compareWith(
  plan: Plan,
  play: () => Promise<string>,
): Promise<Difference | undefined> {
  for (let plays = 1; ; plays++) {
    const output = await play();
    const difference = compare(plan, output);
    if (!difference || plays === PLAYS || !output.includes('deadlock detected')) return difference;
  }
}

/**
 * Throws if a schedule is missing or cut off. A whole schedule ends with the step that reads the
 * tables.
 */
function checkWhole({ label, permutations }: Plan, tested: TestedSchedule[]) {
  const ended = tested.filter(({ sent }) => sent.at(-1)?.name === label && sent.at(-1)?.rows);
  if (ended.length === permutations.length && tested.length === permutations.length) return;
  throw new PlainError(
    `The output of isolationtester is not whole: it has ${ended.length} of ${permutations.length} schedules of ${label}.`,
  );
}

function differenceOf({ moves, steps, rows }: Planned, { sent }: TestedSchedule) {
  const choices = moves.map(({ sentAt }) => sentAt);
  for (const [index, move] of moves.entries()) {
    const theirs = sent[index];
    const step = steps[index];
    if (!theirs || !step || theirs.name !== step.name)
      return `the tester sent ${theirs?.name ?? 'nothing'} in place of ${step?.name}`;
    const about = `step ${move.sentAt + 1}, ${step.name} (${shorten(step.sql)})`;
    const words = differenceOfWait(move, theirs, choices) ?? differenceOfResult(move, theirs);
    if (words) return `${about}: ${words}`;
  }
  const theirs = sent[moves.length];
  return differenceOfRows(rows, theirs?.rows ?? [], 'tables at the end');
}

/**
 * Compares whether a statement waited, and how long. A statement waits if it has not returned
 * before the next choice.
 */
function differenceOfWait(move: Move, theirs: TestedStep, choices: number[]) {
  const { returnedAfter } = theirs;
  const returnedAt = returnedAfter === undefined ? undefined : choices[returnedAfter - 1];
  if (returnedAt === move.returnedAt) return undefined;
  const say = (at: number | undefined) => {
    if (at === undefined) return 'never returned';
    return at === move.sentAt ? 'did not wait' : `waited until step ${at + 1}`;
  };
  return `here the statement ${say(move.returnedAt)}, in the tester it ${say(returnedAt)}`;
}

function differenceOfResult({ sql, result }: Move, theirs: TestedStep) {
  if (result === undefined) return undefined;
  const error = messageOf(result);
  if (error !== theirs.error)
    return `here the result was ${error ?? 'no error'}, in the tester ${theirs.error ?? 'no error'}`;
  if (!('rows' in result)) return undefined;
  const ours = result.rows.map(cellsOf);
  const rows = theirs.rows ?? [];
  return differenceOfRows(isOrdered(sql) ? ours : like(rows, ours), rows, 'rows');
}

/** Whether the statement itself has ORDER BY, and not only a subselect. */
function isOrdered(sql: string): boolean {
  let outline = codeOf(sql);
  while (/\([^()]*\)/.test(outline)) outline = outline.replaceAll(/\([^()]*\)/g, '');
  return /\border by\b/i.test(outline);
}

/**
 * Returns our rows in the order of the tester's rows. Without ORDER BY, the order depends on where
 * PostgreSQL finds room in the table. If the tester lacks one of our rows, this row comes last.
 */
function like(theirs: string[][], ours: string[][]): string[][] {
  const rest = [...ours];
  const same = theirs.flatMap((row) => {
    const at = rest.findIndex((each) => isSameRow(each, row));
    return at < 0 ? [] : rest.splice(at, 1);
  });
  return [...same, ...rest];
}

const messageOf = (result: StepResult): string | undefined =>
  'error' in result ? (result.error as Error).message : undefined;

function differenceOfRows(ours: string[][], theirs: string[][], what: string) {
  const isSame =
    ours.length === theirs.length && ours.every((row, at) => isSameRow(row, theirs[at] ?? []));
  return isSame ? undefined : `here the ${what} were ${say(ours)}, in the tester ${say(theirs)}`;
}

const LONGEST = 100;

const shorten = (sql: string) => (sql.length > LONGEST ? `${sql.slice(0, LONGEST)}…` : sql);

const say = (rows: string[][]) =>
  rows.length === 0 ? 'none' : rows.map((row) => `(${row.join(', ')})`).join(' ');
