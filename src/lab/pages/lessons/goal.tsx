import { useEffect } from '../../../pages/parts/use-effect.ts';
import type { ToldLesson } from '../api.ts';
import { PlaceLink } from '../link.tsx';
import { isHeldIn, isOpenFor, usePace } from '../pace.tsx';
import type { PartProps } from '../part.ts';
import { showEnd, useReportedProgress } from './progress.ts';
import { isAt, pageNames, placeOf } from './setting.ts';
import { Words } from './words.tsx';

interface GoalProps extends PartProps {
  /** The events that the page has shown, such as `oversold`, `wait` or `explored`. */
  seen: readonly string[];
}

/**
 * Shows the goal of the lesson at this place, and whether the goal is reached. Shows nothing
 * outside a lesson.
 */
export function Goal(props: GoalProps) {
  const lesson = props.lessons.find(({ number }) => number === props.place.lesson);
  const pace = usePace();
  return lesson && isOpenFor(pace, lesson.number) ? (
    <GoalOf key={lesson.number} {...props} lesson={lesson} />
  ) : null;
}

function GoalOf({ place, go, strategies, seen, lesson }: GoalProps & { lesson: ToldLesson }) {
  const { number, title, inBrowser } = lesson;
  const { end, secondVote } = useReportedProgress(number);
  const isHeld = isHeldIn(usePace(), number);
  const isHere = isAt(inBrowser.setting, place, strategies);
  const isSeen = isHere && seen.includes(inBrowser.setting.goal);
  useEffect(() => {
    if (isSeen) showEnd(number, 'reached');
  }, [isSeen]);
  const isReached = isSeen || end === 'reached';
  const back = { view: 'lessons', lesson: number } as const;
  return (
    <aside class={isReached ? 'goal reached' : 'goal'} aria-label={`Goal of lesson ${number}`}>
      <div>
        <p class="from">
          Lesson {number}, {title}
        </p>
        <p class="aim">
          <Words
            text={
              isHeld && secondVote === undefined ? 'Your teacher tells the goal.' : inBrowser.goal
            }
          />
        </p>
        <p role="status">{isReached && '✓ You have reached the goal.'}</p>
      </div>
      <p class="row">
        {!isHere && (
          <PlaceLink place={place} go={go} to={placeOf(lesson)} class="button">
            Open {pageNames[inBrowser.setting.page]} with everything set
          </PlaceLink>
        )}
        <PlaceLink place={place} go={go} to={back} class={isReached ? 'button primary' : 'button'}>
          {isReached && !isHeld ? 'What you saw' : 'Back to the lesson'}
        </PlaceLink>
      </p>
    </aside>
  );
}
