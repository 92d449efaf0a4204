import { useRef } from 'hono/jsx/dom';
import type { PlayState } from '../api.ts';
import type { Move } from './game.ts';
import { useKeys } from './keys.ts';
import { allows, type EventKey, eventKeys } from './words.ts';

interface MoveKeys {
  isOn: boolean;
  /** Undefined before the first answer of the server. */
  state: PlayState | undefined;
  move: (move: Move) => void;
  /** Called with the first key of an event. Called with nothing after the second key. */
  onBegin: (key: EventKey | undefined) => void;
}

const MOVES: Record<string, Move> = {
  u: 'undo',
  r: 'reset',
  e: 'end',
  t: 't',
};

/**
 * Handles the keys of all moves. Keys that come before the first answer of the server wait for the
 * answer, like every move.
 */
export function useMoveKeys({ isOn, state, move, onBegin }: MoveKeys) {
  // This is a ref and not a state, since keys come faster than renders.
  const begun = useRef<EventKey | undefined>(undefined);
  const begin = (key: EventKey | undefined) => {
    begun.current = key;
    onBegin(key);
  };
  useKeys(isOn, (key) => {
    const before = begun.current ?? undefined;
    const wanted = key.toLowerCase();
    const event = eventKeys.find((each) => each === wanted);
    if (before !== undefined) begin(undefined);
    if (/^[1-3]$/.test(wanted)) move(`${before ?? ''}${wanted}`);
    // If the situation does not allow the event, the answer to the move says so.
    else if (event) !state || allows(state, event) ? begin(event) : move(event);
    else if (MOVES[wanted]) move(MOVES[wanted]);
    else return wanted === 'escape' && before !== undefined;
    return true;
  });
}
