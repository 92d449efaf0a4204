import type { RaceTold } from '../../../lab/race/rounds/rounds.ts';
import type { ToldChapter } from '../api.ts';
import { capitalised } from '../choose.tsx';

interface TotalsProps {
  told: RaceTold;
  gravest: string;
  race: ToldChapter['race'];
  /** How many rounds each strategy had. */
  rounds: number;
}

/** The totals of all rounds. `worst` is the highest number of successes in one round. */
export function Totals({ told, gravest, race, rounds }: TotalsProps) {
  return (
    <section class="totals" aria-labelledby="totals">
      <h3 id="totals">All rounds</h3>
      <section class="scroll" tabindex={0} aria-label="Totals">
        {race.kind === 'crashes' ? (
          <CrashTable results={told.results} counts={race.counts} />
        ) : (
          <RequestTable results={told.results} gravest={gravest} rounds={rounds} />
        )}
      </section>
      <details class="transcript">
        <summary>As text, as the command line prints it</summary>
        <section class="text" tabindex={0} aria-label="The race as text">
          <pre>{told.transcript}</pre>
        </section>
      </details>
    </section>
  );
}

interface RequestTableProps extends Pick<TotalsProps, 'gravest' | 'rounds'> {
  results: RaceTold['results'];
}

const RequestTable = ({ results, gravest, rounds }: RequestTableProps) => (
  <table class="findings">
    <thead>
      <tr>
        <th scope="col">Strategy</th>
        <th scope="col">{capitalised(gravest)}</th>
        <th scope="col">At most</th>
        <th scope="col">Succeeded</th>
        <th scope="col">Refused</th>
      </tr>
    </thead>
    <tbody>
      {results.map(({ strategy, faults, worst, statuses }) => {
        const { '200': got = 0, ...others } = statuses;
        const often = faults[gravest] ?? 0;
        return (
          <tr key={strategy}>
            <th scope="row">{strategy}</th>
            <td class={often > 0 ? 'bad' : 'good'}>
              {often} of {rounds}
            </td>
            <td>{worst}</td>
            <td>{got}</td>
            <td>{Object.values(others).reduce((sum, count) => sum + count, 0)}</td>
          </tr>
        );
      })}
    </tbody>
  </table>
);

interface CrashTableProps {
  results: RaceTold['results'];
  /** The good count comes first. */
  counts: ToldChapter['race']['counts'];
}

const CrashTable = ({ results, counts }: CrashTableProps) => (
  <table class="findings">
    <thead>
      <tr>
        <th scope="col">Strategy</th>
        {counts.map((name) => (
          <th key={name} scope="col">
            {capitalised(name)}
          </th>
        ))}
        <th scope="col">Killed</th>
      </tr>
    </thead>
    <tbody>
      {results.map(({ strategy, counts: sums = {}, killed = 0 }) => (
        <tr key={strategy}>
          <th scope="row">{strategy}</th>
          {counts.map((name, index) => (
            <td key={name} class={index > 0 && sums[name] ? 'bad' : 'good'}>
              {sums[name] ?? 0}
            </td>
          ))}
          <td>{killed}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
