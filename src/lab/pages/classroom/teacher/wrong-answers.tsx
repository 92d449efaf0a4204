import { useState } from 'hono/jsx/dom';
import { useEffect } from '../../../../pages/parts/use-effect.ts';
import { SwimLanes } from '../../swim-lanes.tsx';
import { readWrongAnswers, type ToldLesson, type ToldRoom, type WrongAnswer } from './api.ts';
import type { Go } from './view.ts';

interface WrongAnswersProps {
  lesson: ToldLesson;
  room: ToldRoom;
  secret: string;
  go: Go;
}

/** Lists the wrong scripts of the class as they come in. The big screen shows them without names. */
export function WrongAnswers({ lesson, room, secret, go }: WrongAnswersProps) {
  const answers = useWrongAnswers(lesson.number, room, secret);
  if (answers.length === 0) return null;
  return (
    <section class="card" aria-labelledby="wrong-answers">
      <h2 id="wrong-answers">Wrong answers in lesson {lesson.number}</h2>
      {answers.map((answer) => (
        <details key={answer.result} class="wrong-answer">
          <summary>
            <b>{answer.students}</b> {answer.result}
          </summary>
          <button type="button" onClick={() => go({ screen: 'wrong', wrong: answer.result })}>
            Show on the big screen
          </button>
          <Answer answer={answer} />
        </details>
      ))}
    </section>
  );
}

/** Shows one wrong answer on the big screen: by default the most frequent. */
export function BigWrongAnswer({
  wrong,
  ...props
}: Omit<WrongAnswersProps, 'go'> & { wrong: string }) {
  const answers = useWrongAnswers(props.lesson.number, props.room, props.secret);
  const answer = answers.find(({ result }) => result === wrong) ?? answers[0];
  return (
    <>
      <h1>
        {props.lesson.number}. {props.lesson.title}
      </h1>
      {answer ? <Answer answer={answer} /> : <p>Nobody has given a wrong answer here.</p>}
    </>
  );
}

/** Reads the wrong answers again after each new one. */
function useWrongAnswers(lesson: number, room: ToldRoom, secret: string): WrongAnswer[] {
  const [answers, setAnswers] = useState<WrongAnswer[]>([]);
  const counts = JSON.stringify(room.wrongAnswers[lesson] ?? {});
  useEffect(() => {
    let isWanted = true;
    if (counts === '{}') setAnswers([]);
    else
      void readWrongAnswers(secret, lesson).then((found) => {
        if (isWanted) setAnswers(found);
      });
    return () => {
      isWanted = false;
    };
  }, [lesson, counts]);
  return answers;
}

const Answer = ({ answer: { text, says, shown } }: { answer: WrongAnswer }) => (
  <div class="answer-of-class">
    {/* The keyboard must reach everything that scrolls. */}
    <pre tabindex={0}>
      <code>{text}</code>
    </pre>
    <p>{says}</p>
    {shown && <SwimLanes sessions={shown.sessions} steps={shown.steps} afterwards={undefined} />}
  </div>
);
