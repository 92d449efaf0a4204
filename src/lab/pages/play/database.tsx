import type { PlayState } from '../api.ts';

/** Shows the state of PostgreSQL now: committed rows, locks held, open transactions. */
export const Database = ({ state }: { state: PlayState }) => (
  <aside class="database" aria-labelledby="database">
    <h3 id="database">The database now</h3>
    <Committed state={state.committed} sessions={state.sessions.length} />
    <h4>Locks held</h4>
    <Locks locks={state.locks} />
    <h4>Transactions</h4>
    <dl>
      {state.sessions.map(({ session, transaction }) => (
        <div key={session} class={`s${session}`}>
          <dt>S{session}</dt>
          <dd>{sayTransaction(transaction)}</dd>
        </div>
      ))}
    </dl>
  </aside>
);

const Locks = ({ locks }: Pick<PlayState, 'locks'>) => (
  <>
    {locks.held.length === 0 && <p class="none">none</p>}
    <ul>
      {locks.held.map(({ session, what, mode }) => (
        <li key={`${session} ${what} ${mode}`} class={`s${session}`}>
          <b>S{session}</b> {what} <span class="mode">{mode}</span>
        </li>
      ))}
    </ul>
    {!locks.rowsShown && (
      <p class="none">Locks of rows are not shown: this PostgreSQL has no pgrowlocks.</p>
    )}
  </>
);

function sayTransaction(transaction: PlayState['sessions'][number]['transaction']): string {
  if (!transaction) return 'none open';
  const { isolation, snapshotOfStep, hasFailed } = transaction;
  const level = isolation.toUpperCase();
  if (hasFailed) return `${level}, failed: only ROLLBACK is left`;
  if (snapshotOfStep === null) return `${level}, a new snapshot for each statement`;
  return `${level}, snapshot of step ${snapshotOfStep}`;
}

interface CommittedProps {
  state: PlayState['committed'];
  /**
   * The number of sessions with a lane. A session with a higher number has no lane, so its mark has
   * no colour.
   */
  sessions: number;
}

/**
 * Shows the committed state as marks, such as ●●●○, and in words. Marks above the limit stand out.
 */
const Committed = ({ state, sessions }: CommittedProps) => (
  <>
    <p class={state.isWrong ? 'slots over' : 'slots'}>
      <span class="dots" aria-hidden="true">
        {state.marks.map((mark, index) => (
          <span key={index} class={`dot ${kindOf(mark, sessions)}`} />
        ))}
      </span>
      {state.summary}
    </p>
    <p class="holders">{state.detail}</p>
  </>
);

function kindOf(
  { by, label, isExcess }: PlayState['committed']['marks'][number],
  sessions: number,
): string {
  if (by === 'nobody') return 'free';
  const whose = by === 'earlier' || by > sessions ? 'earlier' : `s${by}`;
  return [whose, ...(isExcess ? ['excess'] : []), ...(label ? [label] : [])].join(' ');
}
