import { useEffect, useRef, useState } from 'hono/jsx/dom';
import type { PlayState } from '../api.ts';
import { type Go, hrefOf, type Place } from '../place.ts';
import { askPlay } from './ask.ts';
import { whyNot } from './words.ts';

/** What one may do: choose a session or `t`, or one of these. */
export type Move = string | 'undo' | 'reset' | 'end';

export interface Game {
  /** The last state that was answered; older than the place while the next one is asked for. */
  state: PlayState | undefined;
  /** Why the address cannot be played. */
  problem: string | undefined;
  /** Why the last move was not made. */
  refusal: string | undefined;
  move: (move: Move) => void;
}

interface Shown extends Omit<Game, 'move'> {
  address: string;
}

/** The game at this place. What is chosen before an answer has come waits its turn. */
export function useGame(place: Place, go: Go): Game {
  const [shown, setShown] = useState<Shown>(NOTHING);
  const line = useRef<Move[]>([]);
  const address = hrefOf(place);

  useEffect(() => {
    let isWanted = true;
    void askPlay(place).then((answer) => {
      if (isWanted) setShown(({ state }) => ({ ...NOTHING, state, ...answer, address }));
    });
    return () => {
      isWanted = false;
    };
  }, [address]);

  const make = (move: Move) => {
    const { state } = shown;
    const { schedule } = place;
    if (move === 'undo') return go({ schedule: schedule.slice(0, -1) });
    if (move === 'reset') return go({ schedule: [] });
    if (!state || shown.problem) return;
    const [lowest] = state.choices;
    if (move === 'end' && lowest !== undefined) {
      line.current = ['end'];
      return go({ schedule: [...schedule, lowest] });
    }
    if (state.choices.includes(move)) return go({ schedule: [...schedule, move] });
    if (move !== 'end') setShown({ ...shown, refusal: whyNot(move, state) });
  };

  useEffect(() => {
    if (shown.address !== address) return;
    const next = line.current.shift();
    if (next !== undefined) make(next);
  }, [shown, address]);

  const move = (wanted: Move) => {
    if (wanted === 'undo' || wanted === 'reset') line.current = [];
    if (shown.address === address) make(wanted);
    else line.current.push(wanted);
  };
  return { ...shown, move };
}

const NOTHING = { address: '', state: undefined, problem: undefined, refusal: undefined };
