import type { Chapter, Explorable, Situation, Strategy } from '../chapter.ts';
import { missingFor } from '../stores/index.ts';
import { claims } from './claims/index.ts';
import { queue } from './queue/index.ts';
import { retries } from './retries/index.ts';
import { waitlist } from './waitlist/index.ts';

/** All chapters, in the order of the workshop. */
export const chapters: readonly [Chapter, ...Chapter[]] = [claims, queue, retries, waitlist];
const [first] = chapters;

/** A strategy, and the chapter that it belongs to. */
export interface Addressed {
  chapter: Chapter;
  strategy: Strategy;
}

interface Named {
  chapter: Pick<Chapter, 'name'>;
  strategy: Pick<Strategy, 'name'>;
}

export const addressOf = ({ chapter, strategy }: Named): string =>
  `${chapter.name}/${strategy.name}`;

const all: Addressed[] = chapters.flatMap((chapter) =>
  chapter.strategies.map((strategy) => ({ chapter, strategy })),
);
export const allStrategies: readonly Addressed[] = all;

/**
 * Adds a student's strategy to the list in this process. Replaces a strategy with the same address.
 */
export function adopt(own: Addressed) {
  const at = all.findIndex((each) => addressOf(each) === addressOf(own));
  if (at >= 0) all.splice(at, 1);
  all.push(own);
}

/**
 * Returns a line for each store that this machine lacks, with the strategies that need the store,
 * such as `There is no Redis here: … Left out: retries/set-nx.` Returns no line if all strategies
 * can run.
 */
export function leftOut(strategies: readonly Addressed[]): string[] {
  const reasons = new Map<string, string[]>();
  for (const each of strategies) {
    const missing = missingFor(each.strategy);
    if (missing) reasons.set(missing, [...(reasons.get(missing) ?? []), addressOf(each)]);
  }
  return [...reasons].map(([reason, names]) => `${reason} Left out: ${names.join(', ')}.`);
}

/**
 * Finds the strategy at an address such as `claims/naive`. The name `naive` is enough if only one
 * chapter has a strategy of this name, or if the caller gives the chapter. Returns a string with
 * the reason if no strategy was found.
 */
export function findStrategy(address: string, within?: Chapter): Addressed | string {
  const [name = '', chapterName = within?.name, ...more] = address.split('/').reverse();
  if (more.length > 0) return noSuchStrategy(address, undefined);
  if (chapterName !== undefined && !all.some(({ chapter }) => chapter.name === chapterName))
    return noSuchChapter(chapterName);
  const named = allStrategies.filter(({ strategy }) => strategy.name === name);
  const found = named.filter(({ chapter }) => [undefined, chapter.name].includes(chapterName));
  const [only, another] = found;
  if (another) return `There are ${found.map(addressOf).join(' and ')}. Say which one.`;
  return only ?? noSuchStrategy(address, chapterName);
}

function noSuchStrategy(address: string, chapterName: string | undefined): string {
  const known = chapters
    .filter(({ name }) => [undefined, name].includes(chapterName))
    .map((each) => ` The strategies of ${each.name} are ${namesOf(each)}.`);
  return `There is no strategy ${quoted(address)}.${known.join('')}`;
}

const namesOf = ({ strategies }: Chapter) => strategies.map(({ name }) => name).join(', ');

/**
 * Finds the chapter of this name, by default the first chapter. Returns a string with the reason if
 * no chapter was found.
 */
export function findChapter(name: string | undefined): Chapter | string {
  if (name === undefined) return first;
  return chapters.find((each) => each.name === name) ?? noSuchChapter(name);
}

const noSuchChapter = (name: string) =>
  `There is no chapter ${quoted(name)}. The chapters are ${chapters.map((each) => each.name).join(', ')}.`;

const LONGEST_QUOTE = 60;

/** Quotes a name that a caller sent, for a message of one line. */
export const quoted = (name: string): string =>
  JSON.stringify(name.length > LONGEST_QUOTE ? `${name.slice(0, LONGEST_QUOTE)}…` : name);

/**
 * Finds the situation of this name, by default the strategy's first situation. Returns a string
 * with the reason if no situation was found.
 */
export function findSituation(
  { chapter, strategy }: { chapter: Pick<Explorable, 'situationsOf'>; strategy: Strategy },
  name: string | undefined,
): Situation | string {
  const situations = chapter.situationsOf(strategy);
  if (name === undefined) return situations[0];
  const known = situations.map((each) => each.name).join(', ');
  return (
    situations.find((each) => each.name === name) ??
    `There is no situation ${quoted(name)}. The situations of ${strategy.name} are ${known}.`
  );
}
