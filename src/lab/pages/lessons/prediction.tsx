import { useState } from 'hono/jsx/dom';
import type { ToldLesson } from '../api.ts';
import { Words } from './words.tsx';

interface PredictionProps {
  question: ToldLesson['question'];
  /** The letter of the chosen answer. Undefined before the choice. */
  prediction: string | undefined;
  /** Whether the right answer is shown. */
  isAnswered: boolean;
  onPredict: (letter: string) => void;
  /** The second vote. Undefined if there is none. */
  second?: SecondVote | undefined;
}

/** The vote after a talk with the neighbour. */
interface SecondVote {
  letter: string | undefined;
  onVote: (letter: string) => void;
}

/** Shows the answers to choose from. After the choice, the visitor cannot change the prediction. */
export function Prediction(props: PredictionProps) {
  const { question, prediction: first, isAnswered, onPredict, second } = props;
  const [chosen, choose] = useState('');
  const isSecond = first !== undefined && second !== undefined;
  const prediction = isSecond ? second.letter : first;
  const isOpen = prediction === undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    if (chosen === '') return;
    // The second vote begins without a choice.
    choose('');
    if (isSecond) second.onVote(chosen);
    else onPredict(chosen);
  };
  return (
    <form class="prediction" onSubmit={submit}>
      <fieldset aria-label="Your prediction">
        {question.choices.map(({ letter, text }) => (
          <label key={letter} class={letter === (prediction ?? chosen) ? 'chosen' : ''}>
            <input
              type="radio"
              name="prediction"
              value={letter}
              checked={letter === (prediction ?? chosen)}
              disabled={!isOpen}
              onChange={() => choose(letter)}
            />
            <b>{letter}</b>
            <span>
              <Words text={text} />
            </span>
            {isAnswered && letter === question.answer && <span class="good">✓ right</span>}
          </label>
        ))}
      </fieldset>
      {isSecond && isOpen && <p>You predicted {first}. Talk to your neighbour, and vote again.</p>}
      {isOpen ? (
        <button type="submit" class="primary" aria-disabled={String(chosen === '')}>
          {isSecond ? 'This is my second vote' : 'This is my prediction'}
        </button>
      ) : (
        <p class="muted">
          You predicted {first}.{isSecond && ` Your second vote is ${prediction}.`}
        </p>
      )}
    </form>
  );
}
