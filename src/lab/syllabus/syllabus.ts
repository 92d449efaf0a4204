import type { Situation, Strategy } from '../chapter.ts';
import { type Addressed, addressOf, allStrategies } from '../chapters/index.ts';
import { missingFor } from '../stores/index.ts';
import { knownVerdicts } from './known-verdicts.ts';
import { type Source, sourcesOf, type Texts } from './source.ts';
import type { Proof } from './verdicts.ts';

/** A strategy with the proofs of its verdict. */
export interface SyllabusEntry extends Pick<Strategy, 'name' | 'idea' | 'promise'> {
  chapter: string;
  /** The options of a command that name a student's code. Undefined for a strategy of the lab. */
  options?: string;
  /**
   * Null for a strategy that `npm run matrix` has not explored yet. Such a strategy has no
   * situations here.
   */
  verdict: string | null;
  /**
   * The reason if this machine cannot run the strategy, such as a missing Redis. Otherwise null.
   */
  missing: string | null;
  situations: (Pick<Situation, 'name' | 'idea' | 'sessions' | 'suspect'> &
    Proof & { isComplete?: boolean })[];
}

export type EntryWithSources = SyllabusEntry & { sources: Source[] };

function entryOf(addressed: Addressed): SyllabusEntry {
  const { chapter, strategy } = addressed;
  const { name, idea, promise } = strategy;
  const found = knownVerdicts[addressOf(addressed)];
  const situations = chapter.situationsOf(strategy).flatMap((situation) => {
    const { name, idea, sessions, suspect } = situation;
    const proof = found?.situations[name];
    return proof
      ? [{ name, idea, ...(sessions && { sessions }), ...(suspect && { suspect }), ...proof }]
      : [];
  });
  return {
    chapter: chapter.name,
    name,
    idea,
    promise,
    verdict: found?.verdict ?? null,
    missing: missingFor(strategy) ?? null,
    situations,
  };
}

/** Returns every strategy of every chapter, in the order of the workshop. */
export const readSyllabus = (): SyllabusEntry[] => allStrategies.map(entryOf);

/** Returns one strategy with its source code. */
export const readEntry = (addressed: Addressed, texts: Texts): EntryWithSources => ({
  ...entryOf(addressed),
  sources: sourcesOf(addressed, texts),
});
