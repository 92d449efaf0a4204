import { sessionOf } from './choices.ts';
import type { Act, Entry } from './execution.ts';
import type { Played } from './explore.ts';
import type { Step, StepResult } from './gate.ts';
import { History, names } from './history.ts';
import { readableError, readableRows, readableStatement } from './readable.ts';
import type { ToldAct, ToldSchedule, ToldStep } from './told.ts';
import { transcript } from './transcript.ts';
import type { Ending } from './trial.ts';

/** A schedule as far as it was played. */
export type Tellable = Pick<Played, 'sessions' | 'entries' | 'faults' | 'summary'> & {
  endings: (Ending | undefined)[];
};

export function tell({ sessions, entries, endings, faults, summary }: Tellable): ToldSchedule {
  const history = new History();
  const told = {
    sessions,
    schedule: entries.map(({ choice }) => choice).filter((choice) => choice !== ''),
    steps: entries.map((entry, index) => tellEntry(entry, index, history)),
    endings: Array.from({ length: sessions }, (_, index) => tellEnding(endings[index])),
    faults,
    summary,
  };
  return { ...told, transcript: transcript(told) };
}

const tellEntry = (entry: Entry, index: number, history: History): ToldStep => ({
  choice: entry.choice,
  event: eventOf(entry),
  dead: entry.dead,
  acts: entry.acts.map((act) => tellAct(act, index, history)),
});

function eventOf({ choice, timePasses, dead }: Entry): string | null {
  if (timePasses) return 'time passes';
  const session = `S${sessionOf(choice)}`;
  if (choice.startsWith('k')) return `the process of ${names(dead)} dies`;
  if (choice.startsWith('d')) return `${session} answers, and then its process dies`;
  if (choice.startsWith('l')) return `${session} loses the answer to its next step`;
  return choice.startsWith('x') ? `the connection of ${session} is cut` : null;
}

function tellAct(act: Act, index: number, history: History): ToldAct {
  const { session, step, result, sentAt, waitsFor } = act;
  const statement = readableStatement(step);
  const note = history.note(act, index);
  const isEffect = step.effect !== undefined;
  const told = { session, statement, isEffect, note, waitsFor, sentAt };
  if (!result) return { ...told, progress: 'waits', result: null };
  const outcome = readableResult(step, result);
  return { ...told, progress: sentAt === index ? 'ran' : 'completed', result: outcome || null };
}

function tellEnding(ending: Ending | undefined): string | null {
  if (!ending) return null;
  if ('died' in ending) return 'died';
  return 'error' in ending ? readableError(ending.error) : readableValue(ending.value);
}

function readableResult(step: Step, result: StepResult): string {
  if ('error' in result) return readableError(result.error);
  if (result.isLost) return 'done, but the answer is lost';
  if ('rows' in result) return readableRows(result.rows, step);
  return result.value === undefined ? '' : readableValue(result.value);
}

/** The `kind` of a value. A value without a `kind` is shown itself. */
const readableValue = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(readableValue).join(', ')
    : String(typeof value === 'object' && value !== null && 'kind' in value ? value.kind : value);
