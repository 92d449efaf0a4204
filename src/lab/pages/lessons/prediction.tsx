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
}

/** Shows the answers to choose from. After the choice, the visitor cannot change the prediction. */
export function Prediction({ question, prediction, isAnswered, onPredict }: PredictionProps) {
  const [chosen, choose] = useState('');
  const isOpen = prediction === undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    if (chosen !== '') onPredict(chosen);
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
      {isOpen ? (
        <button type="submit" class="primary" aria-disabled={String(chosen === '')}>
          This is my prediction
        </button>
      ) : (
        <p class="muted">You predicted {prediction}.</p>
      )}
    </form>
  );
}
