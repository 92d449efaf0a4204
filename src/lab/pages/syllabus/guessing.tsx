import { useStore } from '../../../pages/parts/store.ts';
import type { SyllabusEntry } from '../api.ts';
import { focusOn } from '../focus.ts';
import { addressOf } from '../part.ts';
import { guess, guesses } from './guesses.ts';

/** The id of the element with the verdict. */
export const VERDICT = 'verdict';

/**
 * Asks for a prediction of the verdict. The visitor may also ask for the verdict without a
 * prediction.
 */
export function Guessing({ entry }: { entry: SyllabusEntry }) {
  const choose = (guessed: 'holds' | 'breaks' | 'shown') => {
    guess(entry, guessed);
    focusOn(VERDICT);
  };
  return (
    <fieldset class="guessing">
      <legend>Does this strategy hold in every order? Predict first.</legend>
      <button type="button" onClick={() => choose('holds')}>
        It holds
      </button>
      <button type="button" onClick={() => choose('breaks')}>
        It breaks
      </button>
      <button type="button" onClick={() => choose('shown')}>
        Show the verdict
      </button>
    </fieldset>
  );
}

/** Shows the visitor's prediction beside the verdict. */
export function Guessed({ entry }: { entry: SyllabusEntry }) {
  const guessed = useStore(guesses).of[addressOf(entry)];
  if (guessed === undefined || guessed === 'shown') return null;
  const isRight = (entry.verdict === 'holds') === (guessed === 'holds');
  return (
    <span class="muted">
      You predicted that it {guessed}: {isRight ? 'right' : 'wrong'}.
    </span>
  );
}
