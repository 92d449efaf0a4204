import { sayEnding } from '../../../explorer/tell.ts';
import type { Ending } from '../../../explorer/trial.ts';
import type { RaceSize, Strategy } from '../../chapter.ts';
import type { RaceOrder } from '../race.ts';
import { LINES_SHOWN, type Paint, plain, promiseVerdict, raceTable } from '../report.ts';
import type { CrashChapter, CrashResult, CrashRound } from './crashes.ts';

/**
 * Describes one round, with a line such as `Worker 3: killed` for each session, in the order of the
 * sessions.
 */
export function describeCrashRound(
  { race: { words } }: CrashChapter,
  strategy: string,
  { endings, faults, summary }: Pick<CrashRound, 'endings' | 'faults' | 'summary'>,
  size: RaceSize,
  paint = plain,
): string {
  const lines = endings.map(
    (ending, index) => `  ${words.session(index + 1, size)}: ${endOf(ending)}`,
  );
  const shown = lines.slice(0, LINES_SHOWN);
  if (lines.length > shown.length) shown.push(`  … and ${lines.length - shown.length} more`);
  const isWrong = faults.length > 0;
  return [
    `${strategy}, ${isWrong ? 'a round with a fault' : 'one round'}:`,
    ...shown,
    `  ${isWrong ? paint('red', `${summary}: ${faults.join(', ')}`) : paint('green', summary)}`,
    '',
  ].join('\n');
}

/**
 * Returns the end of a session in words. Leaves out the outcomes of a worker, since a worker does
 * many tasks.
 */
function endOf(ending: Ending): string {
  if ('died' in ending) return 'killed';
  return 'value' in ending && Array.isArray(ending.value) ? 'ended' : sayEnding(ending);
}

export function describeCrashResults(
  { race }: CrashChapter,
  results: CrashResult[],
  strategies: readonly Pick<Strategy, 'idea'>[],
  { rounds }: RaceOrder,
  paint = plain,
): string {
  const [good, ...bad] = race.counts;
  const rows = results.map(({ strategy, counts, killed }) => [
    strategy,
    rounds,
    counts[good ?? ''] ?? 0,
    ...bad.map((name) => paint(counts[name] ? 'red' : 'green', String(counts[name] ?? 0))),
    killed,
  ]);
  return raceTable(['strategy', 'rounds', ...race.counts, 'killed'], rows, strategies);
}

/** Returns a sentence about the results of each strategy. */
export const sayCrashResults = (
  { race: { words }, faults }: CrashChapter,
  results: CrashResult[],
  { rounds }: RaceOrder,
): string[] =>
  results.map((result) => {
    const found = faults.find(({ name }) => result.faults[name]);
    if (!found) return `${result.strategy} ${words.held}.`;
    const often = `${result.strategy} ${found.inWords} in ${result.faults[found.name]} of ${rounds} rounds`;
    const sum = words.sum(result.counts);
    return `${often}${sum && `: ${sum}`}.`;
  });

/** Returns a sentence for each strategy, and the verdict on all promises. */
export const describeCrashVerdict = (
  chapter: CrashChapter,
  results: CrashResult[],
  order: RaceOrder,
  paint = plain,
): string =>
  [
    '',
    ...sayCrashResults(chapter, results, order),
    `Verdict: ${verdict(chapter, results, paint)}`,
  ].join('\n');

function verdict(chapter: CrashChapter, results: CrashResult[], paint: Paint): string {
  if (results.every(({ killed }) => killed === 0))
    return paint('red', 'NOTHING SHOWN. No process was killed.');
  return promiseVerdict(chapter, results, paint);
}
