import { BACKOFF } from '../../pages/parts/backoff.ts';
import { createStore, useStore } from '../../pages/parts/store.ts';
import { useEffect } from '../../pages/parts/use-effect.ts';
import { pause, pauseAfter } from '../../platform/waiting/backoff.ts';
import type { Pace } from '../classroom/pace.ts';
import { PlaceLink } from './link.tsx';
import type { PartProps } from './part.ts';
import { newsOf } from './stream.ts';

/** The pace outside of a classroom. */
const FREE: Pace = { lesson: null, mayLookAhead: true, isHeld: false, votesAgain: false };

export const isClassroom = () => document.documentElement.hasAttribute('data-classroom');

/** In a classroom no lesson is open before the room has told its pace. */
const UNKNOWN: Pace = { lesson: 0, mayLookAhead: false, isHeld: true, votesAgain: false };

const pace = createStore(isClassroom() ? UNKNOWN : FREE);

/** Returns the pace that the teacher has set. */
export const usePace = (): Pace => useStore(pace);

/** Whether students may open this lesson now. */
export const isOpenFor = ({ lesson, mayLookAhead }: Pace, number: number): boolean =>
  lesson === null || mayLookAhead || number <= lesson;

/** Whether the answer of this lesson is held back. */
export const isHeldIn = ({ lesson, isHeld }: Pace, number: number): boolean =>
  isHeld && lesson === number;

/** Whether students vote a second time in this lesson. */
export const votesAgainIn = ({ lesson, votesAgain }: Pace, number: number): boolean =>
  votesAgain && lesson === number;

/** Follows the pace in a classroom. The open stream also tells the room that the student is here. */
export function useFollowedPace() {
  useEffect(() => {
    if (!isClassroom()) return;
    const leaving = new AbortController();
    void follow(leaving.signal);
    return () => leaving.abort();
  }, []);
}

async function follow(signal: AbortSignal) {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      for await (const { data } of newsOf<{ pace: Pace }>('/classroom/pace', { signal })) {
        failures = 0;
        pace.set(data);
      }
    } catch {
      // The connection was cut. The loop connects again.
    }
    await pause(pauseAfter(failures, BACKOFF), signal);
  }
}

/** Tells a student which lesson the teacher has opened, unless the student is in this lesson. */
export function PaceBanner({ place, go, lessons }: PartProps) {
  const { lesson: number } = usePace();
  const lesson = lessons.find((each) => each.number === number);
  const isThere = place.view === 'lessons' && place.lesson === number;
  return (
    <div role="status">
      {lesson && !isThere && (
        <p class="pace">
          Your teacher has opened lesson {lesson.number}, {lesson.title}.{' '}
          <PlaceLink
            place={place}
            go={go}
            to={{ view: 'lessons', lesson: lesson.number }}
            class="button primary"
          >
            Open it
          </PlaceLink>
        </p>
      )}
    </div>
  );
}
