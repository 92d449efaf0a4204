import { type NameOf, nameFrom, sessionOf } from './choice.ts';
import { Deaths, storeOf } from './deaths.ts';
import type { Act, Entry } from './execution.ts';
import type { Played } from './explore.ts';
import { History } from './history.ts';
import { isTime, readableError, readableRows, readableStatement } from './readable.ts';
import type { Step, StepResult } from './step.ts';
import type { ToldAct, ToldSchedule, ToldStep } from './told.ts';
import { transcript } from './transcript.ts';
import type { Ending } from './trial.ts';
import { ENDS } from './writes.ts';

/** A schedule up to the last step that was played. */
export type Tellable = Pick<Played, 'sessions' | 'entries' | 'faults' | 'summary'> & {
  endings: (Ending | undefined)[];
};

/** Puts a schedule into words. `names` are the names of the sessions, if they have names. */
export function tell(
  { sessions, entries, endings, faults, summary }: Tellable,
  names?: readonly string[],
): ToldSchedule {
  const nameOf = nameFrom(names);
  const history = new History(nameOf);
  const deaths = new Deaths(nameOf);
  const passes = entries.findIndex(({ timePasses }) => timePasses);
  const speakers = new Set(entries.flatMap(({ acts }) => acts.map(({ session }) => session)));
  const isSilent = (choice: string) => {
    const session = sessionOf(choice) || sessions + 1;
    return endings[session - 1] !== undefined && !speakers.has(session);
  };
  const told = {
    sessions,
    ...(names && { names }),
    schedule: entries.map(({ choice }) => choice).filter((choice) => choice !== ''),
    steps: entries.map((entry, index) =>
      tellEntry(entry, index, { nameOf, history, deaths, passes, isSilent }),
    ),
    endings: Array.from({ length: sessions }, (_, index) => tellEnding(endings[index])),
    afterwards: tellEnding(endings[sessions]),
    faults,
    summary,
  };
  return { ...told, transcript: transcript(told) };
}

interface Known {
  nameOf: NameOf;
  history: History;
  deaths: Deaths;
  /** The index of the first step at which time passes. -1 if time never passes. */
  passes: number;
  /** Whether the session of this choice has ended without any statement. */
  isSilent(choice: string): boolean;
}

function tellEntry(entry: Entry, index: number, known: Known): ToldStep {
  const { choice } = entry;
  const event = eventOf(entry, known);
  const isDeath = /^[kd]/.test(choice);
  const acts = entry.acts.flatMap((act) => {
    const told = tellAct(act, index, known);
    return isDeath && known.deaths.hasTold(act) ? [] : [told];
  });
  const hasWords = event !== null || acts.length > 0;
  return {
    choice,
    event,
    dead: entry.dead,
    ended: entry.ended,
    acts,
    silence: hasWords ? null : silenceOf(entry, known),
  };
}

const silenceOf = ({ choice }: Entry, { isSilent }: Known) =>
  isSilent(choice) ? 'ends' : 'waits in memory';

function eventOf(entry: Entry, { deaths, nameOf }: Known): string | null {
  const { choice, timePasses } = entry;
  if (timePasses) return sayTimePasses(entry);
  const session = nameOf(sessionOf(choice));
  if (/^[kd]/.test(choice)) return deaths.dies(entry, choice.startsWith('d'));
  if (choice.startsWith('l')) return `${session} makes this step, but its answer is lost`;
  if (choice.startsWith('f')) return `the next statement of ${session} fails`;
  return choice.startsWith('x') ? `the connection of ${session} is cut` : null;
}

const sayTimePasses = ({ clockJumps, runOut }: Entry): string =>
  [clockJumps ? 'two days pass' : 'time passes', ...runOut.map(capital)].join('. ');

const capital = (text: string) => text.replace(/^./, (first) => first.toUpperCase());

function tellAct(act: Act, index: number, { history, deaths, passes }: Known): ToldAct {
  const { session, step, result, sentAt, waitsFor } = act;
  const statement = readableStatement(step);
  const dead = deaths.note(act, index);
  const notes = [history.note(act, index), sayOldTime(step, index, passes)];
  const alive = notes.filter((each) => each !== null).join('; ');
  const note = (dead === null ? alive : sayDead(dead, act, alive)) || null;
  const isEffect = step.effect !== undefined;
  const isInMemory = step.effect?.isInMemory === true;
  const stays = step.effect !== undefined && !isInMemory && !storeOf(step.effect);
  const told = { session, statement, isEffect, isInMemory, stays, note, waitsFor, sentAt };
  if (!result) return { ...told, progress: 'waits', result: null };
  const outcome = readableResult(step, result);
  return { ...told, progress: sentAt === index ? 'ran' : 'completed', result: outcome || null };
}

/** Adds the other notes on an act to the sentence about the death of its process. */
function sayDead(dead: string, { step: { text } }: Act, notes: string): string {
  if (ENDS.test(text) || notes === '') return dead;
  if (NO_SUBJECT.test(notes)) return `${dead}. The statement ${notes}`;
  // The name of a session keeps its small letters.
  return `${dead}. ${/^(the|its) /.test(notes) ? capital(notes) : notes}`;
}

/** Matches notes without a subject. They say something about their statement. */
const NO_SUBJECT = /^(begins|undoes|does not see|skips|takes) /;

/**
 * Says that a parameter has an old time. When time passes in PostgreSQL, the clock of the process
 * does not change.
 */
const sayOldTime = ({ params }: Step, index: number, passes: number): string | null =>
  passes >= 0 && index > passes && params.some(isNearNow)
    ? `its time is from before step ${passes + 1}, where time passes`
    : null;

/** Whether the value is a time from a clock that has not jumped ahead. */
const isNearNow = (value: unknown): boolean =>
  isTime(value) && new Date(value as string | Date).getTime() < Date.now() + DAY_MS;

const DAY_MS = 86_400_000;

const tellEnding = (ending: Ending | undefined): string | null =>
  ending ? sayEnding(ending) : null;

/** Returns the end of a session in a word or two, such as `claimed` or `died`. */
export function sayEnding(ending: Ending): string {
  if ('died' in ending) return 'died';
  if ('error' in ending) return readableError(ending.error);
  return ending.value === undefined ? 'done' : readableValue(ending.value) || 'done';
}

/** Returns the result of a step in a few words. Empty if there is nothing to say. */
export function readableResult(step: Step, result: StepResult): string {
  if ('error' in result) return readableError(result.error);
  if (result.isLost) return 'done, but the answer is lost';
  if ('rows' in result) return readableRows(result.rows, step);
  return result.value === undefined ? '' : readableValue(result.value);
}

/** Returns the `kind` of a value, or the value itself as text if the value has no `kind`. */
function readableValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(readableValue).join(', ');
  if (value instanceof Promise) return 'a promise';
  if (typeof value !== 'object' || value === null) return String(value);
  return 'kind' in value ? String(value.kind) : jsonOf(value);
}

/** Returns an object as JSON. An object that contains itself has no JSON, so only its class is named. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each));
  } catch {
    return `an object of ${value.constructor?.name ?? 'no class'}`;
  }
}
