import type { ToldSchedule } from '../api.ts';

interface LedgerProps {
  /** The heading of the list, such as `Mails sent`. */
  name: string;
  told: Pick<ToldSchedule, 'sessions' | 'steps'>;
}

/**
 * Lists the effects of the steps outside the database, such as mails. No rollback takes an effect
 * back.
 */
export function Ledger({ name, told: { sessions, steps } }: LedgerProps) {
  const effects = steps.flatMap(({ acts }, index) =>
    acts.filter(({ stays }) => stays).map((act) => ({ ...act, step: index + 1 })),
  );
  return (
    <section class="ledger" aria-labelledby="ledger">
      <h3 id="ledger">{name}</h3>
      <p class="none">Outside the database. No rollback takes anything back.</p>
      {effects.length === 0 && <p>nothing</p>}
      <ol>
        {effects.map(({ session, statement, result, step }, index) => (
          <li key={index} class={session > sessions ? 'after' : `s${session}`}>
            <b class="whose">{session > sessions ? 'Afterwards' : `S${session}`}</b>{' '}
            <span class="effect">{statement}</span>{' '}
            <span class="none">
              {result && `→ ${result}, `}step {step}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
