import type { Chapter, Explorable, Situation, Strategy } from '../src/lab/chapter.ts';
import {
  type Addressed,
  findChapter,
  findSituation,
  findStrategy,
  leftOut,
} from '../src/lab/chapters/index.ts';
import { assertCanRun, missingFor } from '../src/lab/stores/index.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';

/** Returns the situations of all strategies of a chapter, without repeats. */
export const situationsOf = (chapter: Chapter): Situation[] => [
  ...new Set(chapter.strategies.flatMap((strategy) => chapter.situationsOf(strategy))),
];

export interface Chosen<C extends Explorable = Chapter> {
  chapter: C;
  strategies: readonly Strategy[];
}

/** Matches `all` and, for example, `claims/all`. The first group is the name of the chapter. */
export const WHOLE = /^(?:(.+)\/)?all$/;

/**
 * Finds the strategies at these addresses, in the same order. All strategies must belong to one
 * chapter. `all` stands for every strategy of the first chapter, and `claims/all` for every
 * strategy of claims. If only some strategies have the situation, `all` stands for these
 * strategies. If `within` is given, addresses without a chapter are in this chapter. Throws a
 * `UsageError` for any other address.
 */
export function chooseStrategies(
  addresses: readonly string[] = ['all'],
  situation?: string | undefined,
  within?: Chapter,
): Chosen {
  const found = addresses.flatMap((address) => {
    const whole = WHOLE.exec(address);
    return whole
      ? runnable(inSituation(orUsage(findChapter(whole[1] ?? within?.name)), situation))
      : [named(address, within)];
  });
  const chosen = [
    ...new Set([...(within ? [within] : []), ...found.map(({ chapter }) => chapter)]),
  ];
  const [chapter, another] = chosen;
  if (!chapter || another)
    throw new UsageError(
      `These are strategies of ${chosen.map(({ name }) => name).join(' and ')}. Choose one chapter.`,
    );
  return { chapter, strategies: [...new Set(found.map(({ strategy }) => strategy))] };
}

/**
 * Returns the strategies that this machine can run. Prints a warning for each strategy that is left
 * out. Throws a `UsageError` if no strategy is left.
 */
export function runnable(all: readonly Addressed[]): Addressed[] {
  const running = all.filter(({ strategy }) => missingFor(strategy) === undefined);
  if (running.length === 0) throw new UsageError(leftOut(all).join('\n'));
  for (const line of leftOut(all)) print(`\n!!! ${line}\n\n`, process.stderr);
  return running;
}

/** Finds a strategy by its name. Throws a `StoreMissing` if this machine cannot run it. */
export function named(address: string, within?: Chapter | undefined): Addressed {
  const found = orUsage(findStrategy(address, within));
  assertCanRun(found.strategy);
  return found;
}

/**
 * Returns the strategies of a chapter that have the situation. If no strategy has the situation,
 * returns all strategies.
 */
function inSituation(chapter: Chapter, situation: string | undefined): Addressed[] {
  const all = chapter.strategies.map((strategy) => ({ chapter, strategy }));
  const having = all.filter((each) =>
    chapter.situationsOf(each.strategy).some(({ name }) => name === situation),
  );
  return having.length > 0 ? having : all;
}

/** Finds a situation by its name. Throws a `UsageError` if a strategy has no such situation. */
export function chooseSituation(
  { chapter, strategies }: Chosen<Explorable>,
  name: string | undefined,
) {
  const [situation] = strategies.map((strategy) =>
    orUsage(findSituation({ chapter, strategy }, name)),
  );
  if (!situation) throw new Error(`${chapter.name} has no strategies`);
  return situation;
}

/** Finds a chapter by its name. Throws a `UsageError` if there is no such chapter. */
export const chooseChapter = (name: string | undefined): Chapter => orUsage(findChapter(name));

/** Finds a chapter by its name. Returns undefined if no name is given. */
export const chooseChapterIfNamed = (name: string | undefined): Chapter | undefined =>
  name === undefined ? undefined : chooseChapter(name);

function orUsage<T>(found: T | string): T {
  if (typeof found === 'string') throw new UsageError(found);
  return found;
}
