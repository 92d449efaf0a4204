import type { Child } from 'hono/jsx';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import type { ToldLesson } from '../api.ts';
import { goTo } from '../focus.ts';
import { PlaceLink } from '../link.tsx';
import { Maps } from '../map/maps.tsx';
import { isHeldIn, isOpenFor, usePace, votesAgainIn } from '../pace.tsx';
import type { PartProps } from '../part.ts';
import { NeedsServer } from '../site/needs-server.tsx';
import { isRecorded } from '../site/recorded.ts';
import { WriteSql } from '../sql/write-sql.tsx';
import { Prediction } from './prediction.tsx';
import {
  beginAnew,
  finish,
  type LessonStep,
  predict,
  showEnd,
  useReportedProgress,
  voteAgain,
} from './progress.ts';
import { mappedBy, pageNames, placeOf } from './setting.ts';
import { Text, Words } from './words.tsx';

interface LessonProps extends PartProps {
  lesson: ToldLesson;
}

const steps: LessonStep[] = ['predict', 'do', 'understand', 'done'];

const TITLE = 'lesson-title';
const partId = (number: number) => `part-${number}`;

/**
 * Shows one lesson with its parts Predict, Do and Understand. A part opens when the previous part
 * is done.
 */
export function Lesson(props: LessonProps) {
  const { lesson, lessons, place, go } = props;
  const { number, title, minutes, question } = lesson;
  const { step, prediction, secondVote, end } = useReportedProgress(number);
  const pace = usePace();
  const isHeld = isHeldIn(pace, number);
  useEffect(() => {
    // A visitor who has reached the goal comes back for the explanation.
    goTo(step === 'understand' ? partId(3) : TITLE);
  }, []);
  const isReached = (part: LessonStep) => steps.indexOf(step) >= steps.indexOf(part);
  // The goal may give the answer away, so it waits for the second vote.
  const waits = { do: isHeld && secondVote === undefined && !end, understand: isHeld };
  const opensDo = pace.votesAgain ? 'after the second vote' : 'when your teacher goes on';
  const isOpen = (part: 'do' | 'understand') => isReached(part) && !waits[part];
  const second = { letter: secondVote, onVote: (letter: string) => voteAgain(number, letter) };
  if (!isOpenFor(pace, number)) return <NotYet {...props} />;
  return (
    <article class="lesson" aria-labelledby={TITLE}>
      <p class="where">
        <PlaceLink place={place} go={go} to={{ lesson: 0 }}>
          All lessons
        </PlaceLink>
        <span>
          Lesson {number} of {lessons.length}, {minutes} minutes
        </span>
      </p>
      <h2 id={TITLE} tabindex={-1}>
        {number}. {title}
      </h2>
      <Part number={1} title="Predict" isOpen={true}>
        <Text text={question.text} {...props} />
        <Prediction
          question={question}
          prediction={prediction}
          isAnswered={isOpen('understand')}
          second={votesAgainIn(pace, number) || secondVote ? second : undefined}
          onPredict={(letter) => {
            predict(number, letter);
            goTo(partId(2));
          }}
        />
      </Part>
      <Part
        number={2}
        title="Do"
        isOpen={isOpen('do')}
        opens={isReached('do') ? opensDo : 'after your prediction'}
      >
        <Doing
          {...props}
          isReached={end === 'reached'}
          isOpen={isOpen('understand')}
          isHeld={isHeld}
        />
      </Part>
      <Part
        number={3}
        title="Understand"
        isOpen={isOpen('understand')}
        opens={isHeld ? 'when your teacher releases the answer' : 'after the goal'}
      >
        <Understanding {...props} prediction={prediction ?? ''} />
      </Part>
    </article>
  );
}

/** Stands in place of a lesson that the teacher has not opened yet. */
const NotYet = ({ lesson, place, go }: LessonProps) => (
  <article class="lesson" aria-labelledby={TITLE}>
    <h2 id={TITLE} tabindex={-1}>
      {lesson.number}. {lesson.title}
    </h2>
    <p>Your teacher has not opened this lesson yet.</p>
    <p>
      <PlaceLink place={place} go={go} to={{ lesson: 0 }}>
        All lessons
      </PlaceLink>
    </p>
  </article>
);

interface PartOfLesson {
  number: number;
  title: string;
  isOpen: boolean;
  /** The words that say when this part opens. */
  opens?: string;
  children?: Child;
}

function Part({ number, title, isOpen, opens, children }: PartOfLesson) {
  const id = partId(number);
  return (
    <section class={isOpen ? 'part' : 'part closed'} aria-labelledby={id}>
      <h3 id={id} tabindex={-1}>
        <span class="number" aria-hidden="true">
          {number}
        </span>
        {title}
        {!isOpen && <span class="opens"> opens {opens}</span>}
      </h3>
      {isOpen && <div class="inside">{children}</div>}
    </section>
  );
}

interface DoingProps extends LessonProps {
  isReached: boolean;
  /** Whether the next part is open. */
  isOpen: boolean;
  /** Whether the teacher holds the answer back. */
  isHeld: boolean;
}

/**
 * Shows the goal, a link to the page with everything set, and the commands for people who use the
 * terminal. The goal may give the answer away, so it comes after the prediction.
 */
function Doing({ isReached, isOpen, isHeld, ...props }: DoingProps) {
  const { lesson, place, go } = props;
  const { goal, more, setting } = lesson.inBrowser;
  return (
    <>
      <Text text={lesson.goal} {...props} />
      <p class="aim">
        <Words text={goal} />
      </p>
      <Text text={more} {...props} />
      <p class="row">
        <PlaceLink
          place={place}
          go={go}
          to={placeOf(lesson)}
          class={isOpen ? 'button' : 'button primary'}
        >
          Open {pageNames[setting.page]} with everything set
        </PlaceLink>
        {!isOpen && !isHeld && (
          <button
            type="button"
            onClick={() => {
              showEnd(lesson.number, 'asked');
              goTo(partId(3));
            }}
          >
            Show the answer now
          </button>
        )}
      </p>
      <p role="status">{isReached && <span class="good">✓ You have reached the goal.</span>}</p>
      {lesson.sql !== null && isRecorded() && (
        <NeedsServer what="The editor of this lesson" place={place} />
      )}
      {lesson.sql !== null && !isRecorded() && <WriteSql key={lesson.number} {...props} />}
      <WithFile {...props} />
    </>
  );
}

const WithFile = (props: LessonProps) => (
  <details>
    <summary>With a file of your own, in the terminal</summary>
    <p>
      <code>npm run workshop -- --lesson {props.lesson.number}</code> opens this lesson in the
      terminal. The coach watches your file there. Each command below also has its page here.
    </p>
    <Text text={props.lesson.task} {...props} />
    {props.lesson.hints.map((hint, index) => (
      <details key={index}>
        <summary>Hint {index + 1}</summary>
        <Text text={hint} {...props} />
      </details>
    ))}
  </details>
);

function Understanding({ prediction, ...props }: LessonProps & { prediction: string }) {
  const { lesson, lessons, place, go } = props;
  const { number, question, whatYouSaw } = lesson;
  const next = lessons.find((each) => each.number === number + 1);
  const mapped = mappedBy(lesson);
  return (
    <>
      <p class="answer">
        {prediction === question.answer
          ? `You predicted ${prediction}, and ${prediction} is right.`
          : `You predicted ${prediction}. The answer is ${question.answer}.`}
      </p>
      <Text text={question.because} {...props} />
      <h4>What you saw</h4>
      <Text text={whatYouSaw} {...props} />
      {mapped.length > 0 && <Maps {...props} places={mapped} heading="h4" />}
      <p class="row">
        <PlaceLink
          place={place}
          go={(change) => {
            finish(number);
            go(change);
          }}
          to={{ lesson: next?.number ?? 0 }}
          class="button primary"
        >
          {next ? `Next: ${next.number}. ${next.title}` : 'All lessons'}
        </PlaceLink>
        <button
          type="button"
          onClick={() => {
            beginAnew(number);
            goTo(TITLE);
          }}
        >
          Begin this lesson anew
        </button>
      </p>
    </>
  );
}
