import type { PlayState } from '../api.ts';

interface CommittedProps {
  state: PlayState['committed'];
  /** A holder with a higher number has no lane, so its mark has no colour. */
  sessions: number;
}

/**
 * Shows the committed state as marks, such as ●●●○, and in words. Marks above the limit stand out.
 */
export const Committed = ({ state, sessions }: CommittedProps) => (
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
