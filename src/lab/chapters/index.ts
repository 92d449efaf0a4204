import type { Chapter, Situation, Strategy } from '../chapter.ts';
import { claims } from './claims/index.ts';

/** In the order in which the workshop meets them. */
export const chapters: readonly [Chapter, ...Chapter[]] = [claims];
const [first] = chapters;

/** A strategy, and the chapter that it belongs to. */
export interface Addressed {
  chapter: Chapter;
  strategy: Strategy;
}

export const addressOf = ({ chapter, strategy }: Addressed): string =>
  `${chapter.name}/${strategy.name}`;

export const allStrategies: readonly Addressed[] = chapters.flatMap((chapter) =>
  chapter.strategies.map((strategy) => ({ chapter, strategy })),
);

/**
 * The strategy at an address such as `claims/naive`. `naive` alone does as long as one chapter has a
 * strategy of this name. A string says in words why there is none.
 */
export function findStrategy(address: string): Addressed | string {
  const [name = '', chapterName] = address.split('/').reverse();
  if (chapterName !== undefined && !chapters.some((each) => each.name === chapterName))
    return noSuchChapter(chapterName);
  const named = allStrategies.filter(({ strategy }) => strategy.name === name);
  const found = named.filter(({ chapter }) => [undefined, chapter.name].includes(chapterName));
  const [only, another] = found;
  if (another) return `There are ${found.map(addressOf).join(' and ')}. Say which one.`;
  return only ?? `There is no strategy "${address}". ${listOf(chapterName)}`;
}

function listOf(chapterName: string | undefined): string {
  const known = allStrategies.filter(({ chapter }) =>
    [undefined, chapter.name].includes(chapterName),
  );
  return `The strategies are ${known.map(addressOf).join(', ')}.`;
}

/** The chapter of this name, by default the first one. A string says why there is none. */
export function findChapter(name: string | undefined): Chapter | string {
  if (name === undefined) return first;
  return chapters.find((each) => each.name === name) ?? noSuchChapter(name);
}

const noSuchChapter = (name: string) =>
  `There is no chapter "${name}". The chapters are ${chapters.map((each) => each.name).join(', ')}.`;

/** The situation of this name, by default the strategy's first. A string says why there is none. */
export function findSituation(
  { chapter, strategy }: Addressed,
  name: string | undefined,
): Situation | string {
  const situations = chapter.situationsOf(strategy);
  if (name === undefined) return situations[0];
  const known = situations.map((each) => each.name).join(', ');
  return (
    situations.find((each) => each.name === name) ??
    `There is no situation "${name}". The situations of ${strategy.name} are ${known}.`
  );
}
