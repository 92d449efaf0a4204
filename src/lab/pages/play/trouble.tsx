import type { PartProps } from '../part.ts';
import { HOME } from '../place.ts';
import type { Problem } from './ask.ts';

interface TroubleProps extends Pick<PartProps, 'place' | 'go'> {
  problem: Problem;
  again: () => void;
}

/** Why a place cannot be played, and the way out. */
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
