import { plainTable } from '../../process/plain-table.ts';
import { isOversold } from '../chapters/claims/faults.ts';
import type { RaceResult, RaceSettings, Round, StrategyInfo } from './race.ts';

/** Colours a piece of text, or leaves it as it is. */
export type Paint = (colour: 'red' | 'green', text: string) => string;

const plain: Paint = (_, text) => text;

/** Lines of one round that are printed; a larger crowd is summed up. */
const LINES_SHOWN = 12;

export const brokePromise = ({ promise, roundsOversold }: RaceResult): boolean =>
  promise === 'capacity' && roundsOversold > 0;

/** Nobody got a slot, so nothing was put to the test. */
export const showedNothing = ({ statuses }: RaceResult): boolean => !statuses[200];

export function describeRace({ recruiters, capacity, rounds }: RaceSettings): string {
  return (
    `${recruiters} recruiters claim one job at the same moment; it takes ${capacity}. ` +
    `${rounds} ${rounds === 1 ? 'round' : 'rounds'} a strategy, each on a fresh job.\n`
  );
}

/** One round in the order of its answers: `Recruiter 3: 200 OK`. */
export function describeRound(
  strategy: string,
  round: Round,
  { capacity }: Pick<RaceSettings, 'capacity'>,
  paint = plain,
): string {
  const lines = round.answers.map(
    ({ recruiter, status, reason }) => `  Recruiter ${recruiter}: ${status} ${reason}`,
  );
  const shown = lines.slice(0, LINES_SHOWN);
  if (lines.length > shown.length) shown.push(`  … and ${lines.length - shown.length} more`);
  const oversold = isOversold({ capacity, claims: round.claims });
  const count = `${round.claims} claims in the table for ${capacity} slots`;
  return [
    `${strategy}, ${oversold ? 'its worst round' : 'one round'}:`,
    ...shown,
    `  ${oversold ? paint('red', `${count}: oversold`) : paint('green', count)}`,
    '',
  ].join('\n');
}

export function describeResults(
  results: RaceResult[],
  strategies: StrategyInfo[],
  { capacity, rounds }: RaceSettings,
  paint = plain,
): string {
  const rows = results.map((result, index) => {
    const { strategy, roundsOversold, worst, statuses } = result;
    const { '200': ok = 0, '403': full = 0, '409': duplicate = 0 } = statuses;
    const other = otherAnswers(result).reduce((sum, [, count]) => sum + count, 0);
    const oversold = paint(roundsOversold > 0 ? 'red' : 'green', String(roundsOversold));
    const how = strategies[index]?.idea;
    return [strategy, rounds, oversold, `${worst}/${capacity}`, ok, full, duplicate, other, how];
  });
  const head = ['strategy', 'rounds', 'oversold', 'worst', '200', '403', '409', 'other', 'how'];
  return plainTable(head, rows, [1, 2, 3, 4, 5, 6, 7]);
}

/** The answers that tell nothing about slots, such as `['503', 12]`. */
const otherAnswers = ({ statuses }: RaceResult): [string, number][] =>
  Object.entries(statuses).filter(([status]) => !['200', '403', '409'].includes(status));

/** What the table means, in a sentence a strategy, and the answer to "so does it work?". */
export function describeVerdict(
  results: RaceResult[],
  { capacity, rounds }: RaceSettings,
  paint = plain,
): string {
  const lines = results.map((result) => {
    const { strategy, roundsOversold, worst } = result;
    const others = otherAnswers(result).map(
      ([status, count]) => `, and ${count} answers ${status}`,
    );
    const after = `${others.join('')}.`;
    if (showedNothing(result)) return `${strategy} gave out no slot at all${after}`;
    if (roundsOversold === 0)
      return `${strategy} never gave out more than ${capacity} slots${after}`;
    const often = `${strategy} oversold in ${roundsOversold} of ${rounds} rounds`;
    const badly = `at worst ${worst} recruiters hold ${capacity} slots`;
    return `${often}: ${badly}${after}`;
  });
  return ['', ...lines, `Verdict: ${verdict(results, paint)}`].join('\n');
}

function verdict(results: RaceResult[], paint: Paint): string {
  const names = (some: RaceResult[]) => some.map(({ strategy }) => strategy).join(', ');
  const broken = results.filter(brokePromise);
  if (broken.length) return paint('red', `BROKEN. ${names(broken)} promised the capacity.`);
  const idle = results.filter(showedNothing);
  if (idle.length) return paint('red', `NOTHING SHOWN. Nobody got a slot from ${names(idle)}.`);
  const kept = results.filter(({ promise }) => promise === 'capacity');
  if (kept.length === 0) return 'none of these promises the capacity, so none broke its word.';
  return paint('green', `the promise of the capacity was kept by ${names(kept)}.`);
}
