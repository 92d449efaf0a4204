import { useState } from 'hono/jsx/dom';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import { listScriptRules, type ScriptRules, type SyllabusEntry, type ToldLesson } from '../api.ts';
import { entriesAmong, keptStore } from '../kept.ts';
import { addressOf } from '../part.ts';
import { HOME, type Place } from '../place.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

/** The scripts that a visitor has changed, by the numbers of their lessons. */
export const scripts = keptStore<Record<string, string>>('rowlock.scripts', (kept) =>
  entriesAmong(kept, isText),
);

/** Returns the visitor's script of a lesson. By default it is the starter. */
export const scriptOf = ({ number, sql }: Pick<ToldLesson, 'number' | 'sql'>): string =>
  scripts.get()[number] ?? sql ?? '';

export const keepScript = (lesson: number, text: string) =>
  scripts.set({ ...scripts.get(), [lesson]: text });

/** The address of a visitor's script, such as `claims/sql-4` for lesson 4. */
const ADDRESS = /^(\w+)\/sql-(\d+)$/;

export const addressOfScript = (chapter: string, lesson: number) => `${chapter}/sql-${lesson}`;

/** Returns the number of the lesson whose script has this address. 0 for any other strategy. */
export const lessonOfScript = (strategy: string): number =>
  Number(ADDRESS.exec(strategy)?.[2] ?? 0);

/** Adds the script of a place to the strategies, without a proof. */
export function withScript(
  strategies: readonly SyllabusEntry[],
  { strategy }: Place,
  rules: readonly ScriptRules[],
): readonly SyllabusEntry[] {
  const lesson = lessonOfScript(strategy);
  const found = rules.find((each) => each.lesson === lesson);
  if (!found) return strategies;
  const unknown = {
    ...{ schedules: 0, serializationFailures: 0, isComplete: true },
    ...{ faults: {}, clearest: {} },
  };
  const entry: SyllabusEntry = {
    chapter: found.chapter,
    name: `sql-${lesson}`,
    idea: `your SQL of lesson ${lesson}`,
    promise: 'nothing',
    verdict: null,
    missing: null,
    situations: found.situations.map((situation) => ({ ...situation, ...unknown })),
  };
  return [...strategies.filter((each) => addressOf(each) !== strategy), entry];
}

/** Reads the rules of scripts, if the place has a script. Other places need no rules. */
export function useScriptRules({ strategy }: Place): readonly ScriptRules[] {
  const [rules, setRules] = useState<readonly ScriptRules[]>([]);
  const isWanted = lessonOfScript(strategy) > 0;
  useEffect(() => {
    if (isWanted) listScriptRules().then(setRules, () => undefined);
  }, [isWanted]);
  return rules;
}

/**
 * Returns the strategy of a place for another page. Only Play can play the script of a visitor, so
 * other pages get the usual strategy.
 */
export const elsewhere = ({ strategy }: Place): Partial<Place> =>
  lessonOfScript(strategy) > 0
    ? { strategy: HOME.strategy, situation: HOME.situation, schedule: [] }
    : {};
