import { useState } from 'hono/jsx/dom';
import type { PlayState } from '../api.ts';
import type { Move } from './game.ts';
import { useKeys } from './keys.ts';

interface ControlsProps {
  state: PlayState;
  move: (move: Move) => void;
}

const MOVES: Record<string, Move> = {
  u: 'undo',
  r: 'reset',
  e: 'end',
  t: 't',
  1: '1',
  2: '2',
  3: '3',
};

/** The moves other than a step, and the keys of all moves. */
export function Controls({ state: { told, choices, isOver }, move }: ControlsProps) {
  const [hasKeys, setHasKeys] = useState(true);
  useKeys(hasKeys, (key) => {
    const wanted = MOVES[key.toLowerCase()];
    if (wanted) move(wanted);
    return wanted !== undefined;
  });
  const isAtStart = told.schedule.length === 0;
  return (
    <div class="controls">
      {choices.includes('t') && <Button name="Let time pass" hint="t" onPress={() => move('t')} />}
      <Button name="Undo" hint="u" isOff={isAtStart} onPress={() => move('undo')} />
      <Button name="Reset" hint="r" isOff={isAtStart} onPress={() => move('reset')} />
      <Button name="Run to the end" hint="e" isOff={isOver} onPress={() => move('end')} />
      <label class="keys">
        <input
          type="checkbox"
          checked={hasKeys}
          onChange={({ target }: Event) => setHasKeys((target as HTMLInputElement).checked)}
        />
        Keys: <kbd>1</kbd> <kbd>2</kbd> {told.sessions > 2 && <kbd>3</kbd>} step, <kbd>t</kbd> time,{' '}
        <kbd>u</kbd> undo, <kbd>r</kbd> reset, <kbd>e</kbd> end
      </label>
    </div>
  );
}

interface ButtonProps {
  name: string;
  hint: string;
  isOff?: boolean;
  onPress: () => void;
}

const Button = ({ name, hint, isOff = false, onPress }: ButtonProps) => (
  <button type="button" aria-disabled={String(isOff)} onClick={() => isOff || onPress()}>
    {name} <kbd>{hint}</kbd>
  </button>
);
