import type { Act, Entry } from './execution.ts';
import type { Played } from './explore.ts';
import { History } from './history.ts';
import { readableError, readableRows, readableStatement } from './readable.ts';
import type { Ending } from './scenario.ts';
import { transcript } from './transcript.ts';

/** A schedule in words: what is shown of it anywhere, and what the text transcript is printed from. */
export interface ToldSchedule {
  sessions: number;
  /** The choices: a session's number, `t` where time passes, `x` and a number for a cut connection. */
  schedule: string[];
  steps: ToldStep[];
  /** What each session came to, such as `claimed`; null while it has not ended. */
  endings: (string | null)[];
  /** What is wrong with it: the scenario's invariants, `deadlock`, `error` or `hang`. */
  faults: string[];
  /** The state at the end, in a line; empty while there is no end. */
  summary: string;
  /** All of it as text, a column for each session. */
  transcript: string;
}

/** One choice, and all that it brought about. */
export interface ToldStep {
  choice: string;
  acts: ToldAct[];
}

export interface ToldAct {
  session: number;
  statement: string;
  /** `completed`: sent at an earlier step, where it had to wait, and come back in this one. */
  progress: 'ran' | 'waits' | 'completed';
  /** What came back, in a few words. */
  result: string | null;
  /** What the statement's snapshot was too old to see. */
  note: string | null;
  /** The sessions whose locks it waits for. */
  waitsFor: number[];
  /** The step at which it was sent, from 0. */
  sentAt: number;
}

/** A schedule as far as it was played. */
export type Tellable = Pick<Played, 'sessions' | 'entries' | 'faults' | 'summary'> & {
  endings: (Ending | undefined)[];
};

export function tell({ sessions, entries, endings, faults, summary }: Tellable): ToldSchedule {
  const history = new History();
  const told = {
    sessions,
    schedule: entries.map(({ choice }) => choice),
    steps: entries.map((entry, index) => tellEntry(entry, index, history)),
    endings: Array.from({ length: sessions }, (_, index) => tellEnding(endings[index])),
    faults,
    summary,
  };
  return { ...told, transcript: transcript(told) };
}

const tellEntry = ({ choice, acts }: Entry, index: number, history: History): ToldStep => ({
  choice,
  acts: acts.map((act) => tellAct(act, index, history)),
});

function tellAct(act: Act, index: number, history: History): ToldAct {
  const { session, step, result, sentAt, waitsFor } = act;
  const statement = readableStatement(step);
  const note = history.note(act, index);
  const told = { session, statement, note, waitsFor, sentAt };
  if (!result) return { ...told, progress: 'waits', result: null };
  const outcome = 'rows' in result ? readableRows(result.rows, step) : readableError(result.error);
  return { ...told, progress: sentAt === index ? 'ran' : 'completed', result: outcome || null };
}

function tellEnding(ending: Ending | undefined): string | null {
  if (!ending) return null;
  if ('error' in ending) return readableError(ending.error);
  const { value } = ending;
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : value;
  return String(kind);
}
