import { Choice } from '../choose.tsx';
import type { PartProps } from '../part.ts';
import { Count } from './count.tsx';
import { Rounds } from './rounds.tsx';
import { Totals } from './totals.tsx';
import { type Racing, useRace } from './use-race.ts';

const MOST_RECRUITERS = 50;
const MOST_ROUNDS = 20;

/** Recruiters at full speed: what happens is up to PostgreSQL and chance. */
export function Race({ place, go, strategies }: PartProps) {
  const [racing, start] = useRace();
  const { strategy, beside, recruiters, rounds } = place;
  const names: [string, string][] = strategies.map(({ name }) => [name, name]);
  const chosen = [...new Set([strategy, beside].filter((name) => name !== ''))];
  return (
    <>
      <h2>Race</h2>
      <p class="lead">
        {recruiters} recruiters claim one job at the same moment, at full speed, and it takes four
        of them. Each round is on a fresh job; its claims are counted in the table.
      </p>
      <form
        class="toolbar"
        onSubmit={(event: Event) => {
          event.preventDefault();
          start({ strategies: chosen, recruiters, rounds });
        }}
      >
        <Choice
          label="Strategy"
          value={strategy}
          options={names}
          onChoose={(strategy) => go({ strategy })}
        />
        <Choice
          label="Beside it"
          value={beside}
          options={[['', 'nothing'], ...names]}
          onChoose={(beside) => go({ beside })}
        />
        <Count
          label="Recruiters"
          value={recruiters}
          most={MOST_RECRUITERS}
          onCount={(recruiters) => go({ recruiters })}
        />
        <Count
          label="Rounds"
          value={rounds}
          most={MOST_ROUNDS}
          onCount={(rounds) => go({ rounds })}
        />
        <button class="primary" type="submit">
          Race
        </button>
      </form>
      <p role="status">{racing ? inWords(racing) : ''}</p>
      {racing?.failure && <p role="alert">{racing.failure}</p>}
      {racing && racing.rounds.length > 0 && <Rounds rounds={racing.rounds} />}
      {racing?.told && (
        <Totals told={racing.told} rounds={racing.rounds.length / racing.told.results.length} />
      )}
    </>
  );
}

function inWords({ place, of, rounds, told, failure }: Racing): string {
  if (failure) return '';
  if (told)
    return told.transcript
      .split('\n')
      .filter((line) => / oversold in | never gave /.test(line))
      .join(' ');
  if (place > 0) return `Somebody else races. You are number ${place} in line.`;
  return rounds.length === 0 ? 'The recruiters line up.' : `${rounds.length} of ${of} rounds`;
}
