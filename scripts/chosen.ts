import { z } from 'zod';
import type { Chapter, Explorable, Situation, Strategy } from '../src/lab/chapter.ts';
import {
  type Addressed,
  chapters,
  findChapter,
  findSituation,
  findStrategy,
  leftOut,
} from '../src/lab/chapters/index.ts';
import { assertCanRun, missingFor } from '../src/lab/stores/index.ts';
import { UsageError } from '../src/process/errors.ts';
import { print } from '../src/process/print.ts';

/** The situations of all strategies of a chapter, each once. */
export const situationsOf = (chapter: Chapter): Situation[] => [
  ...new Set(chapter.strategies.flatMap((strategy) => chapter.situationsOf(strategy))),
];

/** The situations of each chapter, for the help of a command. */
export const situationsInHelp = chapters
  .map(
    (chapter) =>
      `${chapter.name}: ${situationsOf(chapter)
        .map(({ name }) => name)
        .join(', ')}`,
  )
  .join('\n                     ');

/** The bounds of all situations that have one, for the help of a command. */
export const mostInHelp = [...new Set(chapters.flatMap(situationsOf).map(({ most }) => most))]
  .filter((most) => most !== undefined)
  .join(' or ');

export interface Chosen<C extends Explorable = Chapter> {
  chapter: C;
  strategies: readonly Strategy[];
}

/** An option may be given several times, and each time it may name several strategies. */
export const strategyNames = z
  .array(z.string())
  .transform((all) => all.flatMap((names) => names.split(',')))
  .optional();

/** `all`, or `claims/all`. The group is the chapter. */
export const WHOLE = /^(?:(.+)\/)?all$/;

/**
 * Finds the strategies at these addresses, in the same order. All must belong to one chapter. `all`
 * stands for every strategy of the first chapter, and `claims/all` for every strategy of claims. If
 * only some strategies have the situation, `all` stands for these. Addresses without a chapter are
 * in the chapter `within`, if it is given. Throws a `UsageError` for any other address.
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
 * The strategies that this machine can run. Names the others in a loud line, and leaves them out. Throws a
 * `UsageError` if none is left.
 */
export function runnable(all: readonly Addressed[]): Addressed[] {
  const running = all.filter(({ strategy }) => missingFor(strategy) === undefined);
  if (running.length === 0) throw new UsageError(leftOut(all).join('\n'));
  for (const line of leftOut(all)) print(`\n!!! ${line}\n\n`, process.stderr);
  return running;
}

/** Finds a strategy by its name. Throws a `StoreMissing` if this machine cannot run it. */
function named(address: string, within: Chapter | undefined): Addressed {
  const found = orUsage(findStrategy(address, within));
  assertCanRun(found.strategy);
  return found;
}

/** All strategies of a chapter, without those that have no such situation if others have it. */
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

/** The same, but undefined if no name is given. */
export const chooseChapterIfNamed = (name: string | undefined): Chapter | undefined =>
  name === undefined ? undefined : chooseChapter(name);

function orUsage<T>(found: T | string): T {
  if (typeof found === 'string') throw new UsageError(found);
  return found;
}
