import type { RaceTold } from '../../../lab/race/rounds/rounds.ts';

interface TotalsProps {
  told: RaceTold;
  /** How many each strategy had. */
  rounds: number;
}

/** What all rounds came to; `worst` is the most claims that one job had. */
export function Totals({ told: { results, transcript }, rounds }: TotalsProps) {
  return (
    <section class="totals" aria-labelledby="totals">
      <h3 id="totals">All rounds</h3>
      <section class="scroll" tabindex={0} aria-label="Totals">
        <table class="findings">
          <thead>
            <tr>
              <th scope="col">Strategy</th>
              <th scope="col">Oversold</th>
              <th scope="col">Most claims</th>
              <th scope="col">Slots given</th>
              <th scope="col">Refused</th>
            </tr>
          </thead>
          <tbody>
            {results.map(({ strategy, roundsOversold, worst, statuses }) => {
              const { '200': got = 0, ...others } = statuses;
              return (
                <tr key={strategy}>
                  <th scope="row">{strategy}</th>
                  <td class={roundsOversold > 0 ? 'bad' : 'good'}>
                    {roundsOversold} of {rounds}
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
