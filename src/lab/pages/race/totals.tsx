import type { RaceTold } from '../../race/rounds/rounds.ts';
import type { ToldChapter } from '../api.ts';
import { capitalised } from '../choose.tsx';

interface TotalsProps {
  told: RaceTold;
  gravest: string;
  race: ToldChapter['race'];
  /** How many rounds each strategy had. */
  rounds: number;
}

/**
 * Shows the totals of all rounds. Each strategy has a column. There are at most two strategies, so
 * the table fits on a phone.
 */
export const Totals = ({ told, gravest, race, rounds }: TotalsProps) => (
  <section class="totals" aria-labelledby="totals">
    <h3 id="totals">All rounds</h3>
    <table class="findings" aria-labelledby="totals">
      <thead>
        <tr>
          <td />
          {told.results.map(({ strategy }) => (
            <th key={strategy} scope="col">
              {strategy}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(race.kind === 'crashes'
          ? crashRows(told.results, race.counts)
          : requestRows(told.results, gravest, rounds)
        ).map(({ name, cells }) => (
          <tr key={name}>
            <th scope="row">{capitalised(name)}</th>
            {cells.map(({ shown, kind }, index) => (
              <td key={index} class={kind}>
                {shown}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    <details class="transcript">
      <summary>As text, as the command line prints it</summary>
      <section class="text" tabindex={0} aria-label="The race as text">
        <pre>{told.transcript}</pre>
      </section>
    </details>
  </section>
);

type Results = RaceTold['results'];

/** A row of the table, with a count for each strategy. */
interface Row {
  name: string;
  cells: { shown: string; kind?: 'good' | 'bad' }[];
}

const goodIf = (isGood: boolean) => (isGood ? 'good' : 'bad');

function requestRows(results: Results, gravest: string, rounds: number): Row[] {
  const refusals = ({ statuses }: Results[number]) =>
    Object.entries(statuses).reduce((sum, [status, n]) => sum + (status === '200' ? 0 : n), 0);
  const often = ({ faults }: Results[number]) => faults[gravest] ?? 0;
  return [
    {
      name: gravest,
      cells: results.map((each) => ({
        shown: `${often(each)} of ${rounds}`,
        kind: goodIf(often(each) === 0),
      })),
    },
    { name: 'at most', cells: results.map(({ worst }) => ({ shown: `${worst}` })) },
    {
      name: 'succeeded',
      cells: results.map(({ statuses }) => ({ shown: `${statuses['200'] ?? 0}` })),
    },
    { name: 'refused', cells: results.map((each) => ({ shown: `${refusals(each)}` })) },
  ];
}

/** Returns the rows for a race with crashes. The count of good results comes first in `counts`. */
const crashRows = (results: Results, counts: ToldChapter['race']['counts']): Row[] => [
  ...counts.map((name, index) => ({
    name,
    cells: results.map(({ counts: sums = {} }) => ({
      shown: `${sums[name] ?? 0}`,
      kind: goodIf(index === 0 || !sums[name]),
    })),
  })),
  { name: 'killed', cells: results.map(({ killed = 0 }) => ({ shown: `${killed}` })) },
];
