import { useRef, useState } from 'hono/jsx/dom';
import type { PlayState } from '../api.ts';
import { Action } from './action.tsx';
import type { Move } from './game.ts';
import { useKeys } from './keys.ts';
import { allows, type EventKey, eventKeys } from './words.ts';

interface ControlsProps {
  state: PlayState;
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

/** Shows buttons for the moves other than a step, and handles the keys of all moves. */
export function Controls({ state, move, onBegin }: ControlsProps) {
  const { told, choices, isOver } = state;
  const [hasKeys, setHasKeys] = useState(true);
  // This is a ref and not a state, since keys come faster than renders.
  const begun = useRef<EventKey | undefined>(undefined);
  const begin = (key: EventKey | undefined) => {
    begun.current = key;
    onBegin(key);
  };
  useKeys(hasKeys, (key) => {
    const before = begun.current ?? undefined;
    const wanted = key.toLowerCase();
    const event = eventKeys.find((each) => each === wanted);
    if (before !== undefined) begin(undefined);
    if (/^[1-3]$/.test(wanted)) move(`${before ?? ''}${wanted}`);
    // If the situation does not allow the event, the answer to the move says so.
    else if (event) allows(state, event) ? begin(event) : move(event);
    else if (MOVES[wanted]) move(MOVES[wanted]);
    else return wanted === 'escape' && before !== undefined;
    return true;
  });
  const isAtStart = told.schedule.length === 0;
  return (
    <div class="controls">
      {choices.includes('t') && (
        <Action name="Let time pass" keys={['t']} onPress={() => move('t')} />
      )}
      <Action name="Undo" keys={['u']} isOff={isAtStart} onPress={() => move('undo')} />
      <Action name="Reset" keys={['r']} isOff={isAtStart} onPress={() => move('reset')} />
      <Action name="Run to the end" keys={['e']} isOff={isOver} onPress={() => move('end')} />
      <label class="keys">
        <input
          type="checkbox"
          checked={hasKeys}
          onChange={({ target }: Event) => setHasKeys((target as HTMLInputElement).checked)}
        />
        Keys: <kbd>1</kbd> {told.sessions > 1 && <kbd>2</kbd>} {told.sessions > 2 && <kbd>3</kbd>}{' '}
        step, <EventHints state={state} />{' '}
        {choices.includes('t') && (
          <>
            <kbd>t</kbd> time,{' '}
          </>
        )}
        <kbd>u</kbd> undo, <kbd>r</kbd> reset, <kbd>e</kbd> end
      </label>
    </div>
  );
}

const HINTS: Record<EventKey, string> = {
  k: 'its process dies',
  l: 'its answer gets lost',
  d: 'it answers, then dies',
  x: 'its connection is cut',
  f: 'its statement fails',
  '.': 'it answers',
};

const EventHints = ({ state }: { state: PlayState }) => (
  <>
    {eventKeys
      .filter((key) => allows(state, key))
      .map((key) => (
        <span key={key}>
          <kbd>{key}</kbd> <kbd>1</kbd> {HINTS[key]},{' '}
        </span>
      ))}
  </>
);
