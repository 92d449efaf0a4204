import { useRef, useState } from 'hono/jsx/dom';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import type { PlayState } from '../api.ts';
import { type Go, hrefOf, type Place, readPlace } from '../place.ts';
import { askPlay, type PlayProblem } from './ask.ts';
import { whyNot } from './words.ts';

/** A move of the game: a choice such as `1`, `t` or `k1`, or one of these three words. */
export type Move = string | 'undo' | 'reset' | 'end';

export interface Game {
  /**
   * The last state that the server sent. It is out of date while the page waits for the next state.
   */
  state: PlayState | undefined;
  /** The reason why the address cannot be played. */
  problem: PlayProblem | undefined;
  /** The reason why the last move was not made. */
  refusal: string | undefined;
  move: (move: Move) => void;
  /** Sends the request once more, after a problem. */
  again: () => void;
}

/** The last answer, and its address. */
type Answered = Omit<Game, 'move' | 'again'> & { address: string };

const NOTHING = { address: '', state: undefined, problem: undefined, refusal: undefined };

/**
 * Returns the game at this place, with the strategy at the address `strategy`. Each move waits for
 * the answer to the previous move.
 */
export function useGame(place: Place, go: Go, strategy: string): Game {
  const [, render] = useState<Answered>(NOTHING);
  // This is a ref and not a state, since keys come faster than renders.
  const answered = useRef<Answered>(NOTHING);
  const line = useRef<Move[]>([]);
  const [tries, setTries] = useState(1);
  const now = () => answered.current ?? NOTHING;
  const show = (next: Answered) => {
    answered.current = next;
    render(next);
  };

  const make = (move: Move) => {
    const { state } = now();
    const { schedule } = readPlace(location.search);
    const step = (choice: string) => go({ schedule: [...schedule, choice] });
    if (move === 'undo') return go({ schedule: schedule.slice(0, -1) });
    if (move === 'reset') return go({ schedule: [] });
    if (!state || now().problem !== undefined) return undefined;
    if (move === 'end') {
      const [lowest] = state.choices;
      if (lowest === undefined) return undefined;
      line.current = ['end'];
      return step(lowest);
    }
    // If the next step of session 1 answers the client, the choice is `.1` and not `1`.
    const choice = [move, `.${move}`].find((each) => state.choices.includes(each));
    if (choice !== undefined) return step(choice);
    return show({ ...now(), refusal: whyNot(move, state) });
  };

  /** Makes the waiting moves, until a move needs a new answer of the server. */
  const makeNext = () => {
    const isAnswered = now().address === hrefOf(readPlace(location.search));
    const next = isAnswered ? line.current?.shift() : undefined;
    if (next === undefined) return;
    make(next);
    makeNext();
  };

  const address = hrefOf(place);
  useEffect(() => {
    let isWanted = true;
    void askPlay({ ...place, strategy }).then((answer) => {
      if (!isWanted) return;
      show({ ...NOTHING, state: now().state, ...answer, address });
      makeNext();
    });
    return () => {
      isWanted = false;
    };
  }, [address, tries]);

  const move = (wanted: Move) => {
    // Undo and reset clear the queue and run immediately.
    if (wanted === 'undo' || wanted === 'reset') {
      line.current = [];
      make(wanted);
      return;
    }
    line.current?.push(wanted);
    makeNext();
  };
  return { ...now(), move, again: () => setTries(tries + 1) };
}
