import type { ToldLesson } from '../api.ts';
import { PlaceLink } from '../link.tsx';
import { isOpenFor, usePace } from '../pace.tsx';
import type { PartProps } from '../part.ts';
import { Keep } from './keep.tsx';
import { Lesson } from './lesson.tsx';
import { type LessonProgress, useProgress } from './progress.ts';

/** Shows the list of all lessons, or the lesson at this place. */
export function Lessons(props: PartProps) {
  const { place, lessons } = props;
  const lesson = lessons.find(({ number }) => number === place.lesson);
  return lesson ? (
    <Lesson key={lesson.number} {...props} lesson={lesson} />
  ) : (
    <Overview {...props} />
  );
}

/**
 * The number of lessons in the first session of a class. The plan for teachers has the same two
 * sessions.
 */
const FIRST_SESSION = 7;
const sessions = [
  { title: 'First session', from: 0, to: FIRST_SESSION },
  { title: 'Second session, or homework', from: FIRST_SESSION, to: undefined },
];

function Overview({ place, go, lessons }: PartProps) {
  const progressIn = useProgress();
  const pace = usePace();
  const open = lessons.filter(({ number }) => isOpenFor(pace, number));
  const next = open.find(({ number }) => progressIn(number).step !== 'done');
  const isNew = lessons.every(({ number }) => progressIn(number).step === 'predict');
  const minutes = lessons.slice(0, FIRST_SESSION).reduce((sum, lesson) => sum + lesson.minutes, 0);
  return (
    <>
      <h2>Lessons</h2>
      <p class="lead">
        Each lesson has a question, something to do, and what you saw. Choose an answer first. You
        need JavaScript and no knowledge of locks. Lessons 1 to {FIRST_SESSION} take {minutes}{' '}
        minutes.
      </p>
      {place.lesson > 0 && <p role="alert">There is no lesson {place.lesson}.</p>}
      {next && (
        <p class="row begin">
          <PlaceLink place={place} go={go} to={{ lesson: next.number }} class="button primary">
            {isNew ? 'Begin with' : 'Go on with'} lesson {next.number}
          </PlaceLink>
        </p>
      )}
      <div class="lessons">
        {sessions.map(({ title, from, to }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <ol>
              {lessons.slice(from, to).map((lesson) => (
                <Entry
                  key={lesson.number}
                  place={place}
                  go={go}
                  lesson={lesson}
                  progress={progressIn(lesson.number)}
                  isOpen={isOpenFor(pace, lesson.number)}
                />
              ))}
            </ol>
          </section>
        ))}
      </div>
      <Keep lessons={lessons} />
    </>
  );
}

interface EntryProps extends Pick<PartProps, 'place' | 'go'> {
  lesson: ToldLesson;
  progress: LessonProgress;
  /** Whether the teacher lets students open the lesson. */
  isOpen: boolean;
}

const Entry = ({ place, go, lesson, isOpen, progress: { step, prediction } }: EntryProps) => (
  <li class={isOpen ? step : 'closed'}>
    {isOpen ? (
      <PlaceLink place={place} go={go} to={{ lesson: lesson.number }}>
        <span class="number" aria-hidden="true">
          {lesson.number}
        </span>
        <span class="title">{lesson.title}</span>
      </PlaceLink>
    ) : (
      <span>
        {lesson.number}. {lesson.title}
      </span>
    )}
    <span class="how">
      {!isOpen && <span>not open yet</span>}
      {step === 'done' && <span class="good">✓ done</span>}
      {step !== 'done' && prediction && <span>you predicted {prediction}</span>}
      <span>{lesson.minutes} min</span>
    </span>
  </li>
);
