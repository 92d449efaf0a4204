import type { PartProps } from '../part.ts';
import { HOME } from '../place.ts';
import type { PlayProblem } from './ask.ts';

interface TroubleProps extends Pick<PartProps, 'place' | 'go'> {
  problem: PlayProblem;
  again: () => void;
}

/** Says why a place cannot be played, and shows a button to try again or to begin anew. */
export function Trouble({ problem, place, go, again }: TroubleProps) {
  const beginAnew = () => go(place.schedule.length > 0 ? { schedule: [] } : HOME);
  return (
    <p class="problem" role="alert">
      {problem.words}{' '}
      <button type="button" onClick={problem.mayPass ? again : beginAnew}>
        {problem.mayPass ? 'Try again' : 'Begin anew'}
      </button>
    </p>
  );
}
