import { useState } from 'hono/jsx/dom';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import { useKeys } from '../play/keys.ts';

interface PlayerProps {
  /** The number of steps that are shown, at most `last`. */
  shown: number;
  last: number;
  onShow: (step: number) => void;
}

/** The time for each step while the player runs. People can follow the steps at this speed. */
const STEP_MS = 1_500;

/** Lets the visitor go through the steps by buttons, or by the arrow keys, Home, End and p. */
export function Player({ shown, last, onShow }: PlayerProps) {
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    if (shown >= last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => onShow(shown + 1), STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, shown, last]);
  const show = (step: number) => {
    setPlaying(false);
    onShow(Math.min(Math.max(0, step), last));
  };
  const toggle = () => {
    if (!isPlaying && shown >= last) onShow(0);
    setPlaying(!isPlaying);
  };
  const actions: Record<string, () => void> = {
    ArrowLeft: () => show(shown - 1),
    ArrowRight: () => show(shown + 1),
    Home: () => show(0),
    End: () => show(last),
    p: toggle,
  };
  useKeys(true, (key) => {
    actions[key]?.();
    return key in actions;
  });
  return (
    <fieldset class="player" aria-label="Steps of the counterexample">
      <button
        type="button"
        aria-disabled={shown === 0 ? 'true' : 'false'}
        onClick={() => show(shown - 1)}
      >
        Back <kbd>←</kbd>
      </button>
      <button type="button" class="primary" onClick={toggle}>
        {isPlaying ? 'Pause' : 'Play'} <kbd>p</kbd>
      </button>
      <button
        type="button"
        aria-disabled={shown === last ? 'true' : 'false'}
        onClick={() => show(shown + 1)}
      >
        Forward <kbd>→</kbd>
      </button>
      <span role="status">
        Step {shown} of {last}
      </span>
    </fieldset>
  );
}
