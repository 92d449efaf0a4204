import type { SyllabusEntry } from '../api.ts';
import { entriesAmong, keptStore } from '../kept.ts';
import { addressOf } from '../part.ts';

/** A visitor's prediction of a verdict. */
export type Guess = 'holds' | 'breaks';

interface Guesses {
  /** Whether all verdicts are shown. */
  all: boolean;
  /**
   * The guesses, by the address of the strategy. `shown` means that the visitor asked for the
   * verdict without a guess.
   */
  of: Record<string, Guess | 'shown'>;
}

const isGuess = (value: unknown): value is Guess | 'shown' =>
  value === 'holds' || value === 'breaks' || value === 'shown';

/** Verdicts are hidden until the visitor predicts them or asks for them. */
export const guesses = keptStore<Guesses>('rowlock.verdicts', (kept) => {
  const { all, of } = (kept ?? {}) as Record<string, unknown>;
  return { all: all === true, of: entriesAmong(of, isGuess) };
});

/** Returns whether the verdict is hidden. A strategy that is not explored yet has no verdict. */
export const isHidden = ({ all, of }: Guesses, entry: SyllabusEntry): boolean =>
  !all && entry.verdict !== null && of[addressOf(entry)] === undefined;

export const showAll = (all: boolean) => guesses.set({ ...guesses.get(), all });

export const guess = (entry: SyllabusEntry, guessed: Guess | 'shown') => {
  const { all, of } = guesses.get();
  guesses.set({ all, of: { ...of, [addressOf(entry)]: guessed } });
};
