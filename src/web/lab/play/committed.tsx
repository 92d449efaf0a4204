import type { PlayState } from '../api.ts';

/**
 * Shows the committed state as marks, such as ●●●○, and in words. Marks above the limit stand out.
 */
export const Committed = ({ state }: { state: PlayState['committed'] }) => (
  <>
    <p class={state.isWrong ? 'slots over' : 'slots'}>
      <span class="dots" aria-hidden="true">
        {state.marks.map((mark, index) => (
          <span key={index} class={`dot ${kindOf(mark)}`} />
        ))}
      </span>
      {state.summary}
    </p>
    <p class="holders">{state.detail}</p>
  </>
);

function kindOf({ by, label, isExcess }: PlayState['committed']['marks'][number]): string {
  if (by === 'nobody') return 'free';
  const whose = by === 'earlier' ? by : `s${by}`;
  return [whose, ...(isExcess ? ['excess'] : []), ...(label ? [label] : [])].join(' ');
}
