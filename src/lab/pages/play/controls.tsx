import type { PlayState } from '../api.ts';
import { Action } from './action.tsx';
import type { Move } from './game.ts';
import { allows, type EventKey, eventKeys } from './words.ts';

interface ControlsProps {
  state: PlayState;
  move: (move: Move) => void;
  /** Whether keys make moves. */
  hasKeys: boolean;
  onKeys: (hasKeys: boolean) => void;
}

/** Shows buttons for the moves other than a step, and the keys of all moves. */
export function Controls({ state, move, hasKeys, onKeys }: ControlsProps) {
  const { told, choices, isOver } = state;
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
          onChange={({ target }: Event) => onKeys((target as HTMLInputElement).checked)}
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
