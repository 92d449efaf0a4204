import type { ToldAct, ToldSchedule } from '../../explorer/told.ts';
import { MOST_STEPS } from '../../explorer/transcript.ts';

/** Shorter statements are always shown in full. */
const LONG = 80;

/**
 * Cuts a long statement short if an earlier step shows the same statement, even with other numbers.
 * The shorter text names the earlier step, and has the words before each number that differs.
 *
 * Changes nothing in a schedule whose middle is left out, because the earlier step may be there.
 */
export function foldRepeats<T extends Pick<ToldSchedule, 'steps'>>(told: T): T {
  if (told.steps.length > MOST_STEPS) return told;
  const shown = new Map<string, { step: number; words: string[] }>();
  const fold = (act: ToldAct, step: number): ToldAct => {
    const words = act.statement.split(' ');
    const shape = act.statement.replaceAll(/\d+/g, '#');
    const first = shown.get(shape);
    if (!first) shown.set(shape, { step, words });
    if (!first || first.step === step || act.statement.length < LONG) return act;
    const statement = `${shorten(words, first.words)} as in step ${first.step}`;
    return statement.length < act.statement.length ? { ...act, statement } : act;
  };
  const steps = told.steps.map((step, index) => ({
    ...step,
    acts: step.acts.map((act) => fold(act, index + 1)),
  }));
  return { ...told, steps };
}

/** The number of words that are shown at the beginning of a statement. */
const AT_BEGINNING = 3;
/** The number of words that are shown before a word that differs. */
const BEFORE = 2;

/** Leaves out the words that `former` has too, such as `insert into job_claims … select id, 2 …`. */
function shorten(words: readonly string[], former: readonly string[]): string {
  const isKept = (at: number) =>
    at < AT_BEGINNING ||
    words.slice(at, at + BEFORE + 1).some((word, ahead) => word !== former[at + ahead]);
  const kept = words.map((word, at) => (isKept(at) ? word : '…'));
  return kept.filter((word, at) => word !== '…' || kept[at - 1] !== '…').join(' ');
}
