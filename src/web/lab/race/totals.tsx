import type { RaceTold } from '../../../lab/race/rounds/rounds.ts';
import { capitalised } from '../choose.tsx';

interface TotalsProps {
  told: RaceTold;
  gravest: string;
  /** How many rounds each strategy had. */
  rounds: number;
}

/** The totals of all rounds. `worst` is the highest number of successes in one round. */
export function Totals({ told: { results, transcript }, gravest, rounds }: TotalsProps) {
  return (
    <section class="totals" aria-labelledby="totals">
      <h3 id="totals">All rounds</h3>
      <section class="scroll" tabindex={0} aria-label="Totals">
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
      </section>
      <details class="transcript">
        <summary>As text, as the command line prints it</summary>
        <section class="text" tabindex={0} aria-label="The race as text">
          <pre>{transcript}</pre>
        </section>
      </details>
    </section>
  );
}
