import { plainTable } from '../../platform/process/plain-table.ts';
import type { Chapter, Race, Strategy } from '../chapter.ts';
import type { RaceOrder, RaceResult, Round, StrategyInfo } from './race.ts';

/** A chapter whose strategies race as servers that answer requests. */
export type RequestChapter = Chapter & { race: Race };

export const hasRequests = (chapter: Chapter): chapter is RequestChapter =>
  chapter.race.kind === 'requests';

/** Colours a text, or returns the text unchanged. */
export type Paint = (colour: 'red' | 'green', text: string) => string;

export const plain: Paint = (_, text) => text;

/**
 * The maximum number of answers of one round that are printed. Further answers are only counted.
 */
export const LINES_SHOWN = 12;

export const brokePromise = (
  { promises }: Pick<Chapter, 'promises'>,
  { promise, faults }: Pick<RaceResult, 'promise' | 'faults'>,
): boolean => promises[promise]?.brokenBy.some(({ name }) => faults[name]) ?? false;

/** Whether no request succeeded. Such a race shows nothing about a strategy. */
export const showedNothing = ({ statuses }: RaceResult): boolean => !statuses[200];

export const describeRace = ({ race }: Pick<Chapter, 'race'>, order: RaceOrder): string =>
  `${race.words.start(order)} ` +
  `${order.rounds} ${order.rounds === 1 ? 'round' : 'rounds'} for each strategy. Each round begins anew.\n`;

/**
 * Describes one round, with a line such as `Recruiter 3: 200 OK` for each answer, in the order of
 * the answers.
 */
export function describeRound(
  { session: { one } }: Pick<Chapter, 'session'>,
  strategy: string,
  { answers, standing }: Round,
  paint = plain,
): string {
  const who = `${one.charAt(0).toUpperCase()}${one.slice(1)}`;
  const lines = answers.map(
    ({ session, status, reason }) => `  ${who} ${session}: ${status} ${reason}`,
  );
  const shown = lines.slice(0, LINES_SHOWN);
  if (lines.length > shown.length) shown.push(`  … and ${lines.length - shown.length} more`);
  const { faults, summary } = standing;
  const isWrong = faults.length > 0;
  return [
    `${strategy}, ${isWrong ? 'its worst round' : 'one round'}:`,
    ...shown,
    `  ${isWrong ? paint('red', `${summary}: ${faults.join(', ')}`) : paint('green', summary)}`,
    '',
  ].join('\n');
}

export function describeResults(
  { faults: [gravest] }: Chapter,
  results: RaceResult[],
  strategies: Pick<StrategyInfo, 'idea'>[],
  { capacity, rounds }: RaceOrder,
  paint = plain,
): string {
  const rows = results.map((result) => {
    const { strategy, faults, worst, statuses } = result;
    const { '200': ok = 0, '403': full = 0, '409': duplicate = 0 } = statuses;
    const other = otherAnswers(result).reduce((sum, [, count]) => sum + count, 0);
    const often = faults[gravest.name] ?? 0;
    const wrong = paint(often > 0 ? 'red' : 'green', String(often));
    return [strategy, rounds, wrong, `${worst}/${capacity}`, ok, full, duplicate, other];
  });
  const head = ['strategy', 'rounds', gravest.name, 'worst', '200', '403', '409', 'other'];
  return raceTable(head, rows, strategies);
}

/**
 * Returns a table with a row for each strategy. The last column tells how the strategy works. A
 * student's file has no such text, so its table has no such column.
 */
export function raceTable(
  head: string[],
  rows: (string | number)[][],
  strategies: readonly Pick<Strategy, 'idea'>[],
): string {
  const numeric = [...head.keys()].slice(1);
  if (strategies.every(({ idea }) => idea === '')) return plainTable(head, rows, numeric);
  const withIdeas = rows.map((row, index) => [...row, strategies[index]?.idea]);
  return plainTable([...head, 'how'], withIdeas, numeric);
}

/** Returns the answers that say nothing about the race, such as `['503', 12]`. */
const otherAnswers = ({ statuses }: RaceResult): [string, number][] =>
  Object.entries(statuses).filter(([status]) => !['200', '403', '409'].includes(status));

/** Returns a sentence about the results of each strategy. */
export const sayResults = (
  chapter: RequestChapter,
  results: RaceResult[],
  { capacity, rounds }: RaceOrder,
): string[] =>
  results.map((result) => {
    const { words } = chapter.race;
    const { strategy, faults, worst } = result;
    const others = otherAnswers(result).map(
      ([status, count]) => `, and ${count} answers ${status}`,
    );
    const after = `${others.join('')}.`;
    if (showedNothing(result)) return `${strategy} ${words.nobody}${after}`;
    const found = chapter.faults.find(({ name }) => faults[name]);
    if (!found) return `${strategy} ${words.held(capacity)}${after}`;
    const often = `${strategy} ${found.inWords} in ${faults[found.name]} of ${rounds} rounds`;
    return `${often}: ${words.worst(worst, capacity)}${after}`;
  });

/** Returns a sentence for each strategy, and the verdict on all promises. */
export const describeVerdict = (
  chapter: RequestChapter,
  results: RaceResult[],
  order: RaceOrder,
  paint = plain,
): string =>
  [
    '',
    ...sayResults(chapter, results, order),
    `Verdict: ${raceVerdict(chapter, results, paint)}`,
  ].join('\n');

function raceVerdict(chapter: Chapter, results: RaceResult[], paint: Paint): string {
  const idle = results.filter(showedNothing);
  if (idle.length === 0 || results.some((each) => brokePromise(chapter, each)))
    return promiseVerdict(chapter, results, paint);
  return paint('red', `NOTHING SHOWN. Nobody got anything from ${names(idle)}.`);
}

type Promised = Pick<RaceResult, 'strategy' | 'promise' | 'faults'>;

const names = (some: Promised[]) => some.map(({ strategy }) => strategy).join(', ');

/** Says whether these strategies kept their promises. */
export function promiseVerdict(
  { promises }: Pick<Chapter, 'promises'>,
  results: Promised[],
  paint: Paint,
): string {
  const promised = (some: Promised[]) =>
    [...new Set(some.map(({ promise }) => promises[promise]?.inWords))].join(' and ');
  const broken = results.filter((each) => brokePromise({ promises }, each));
  if (broken.length) return paint('red', `BROKEN. ${names(broken)} promised ${promised(broken)}.`);
  const kept = results.filter(({ promise }) => promise in promises);
  if (kept.length === 0) return `${names(results)} promised nothing.`;
  return paint('green', `${names(kept)} promised ${promised(kept)}, and kept the promise.`);
}
