import { useRef } from 'hono/jsx/dom';
import { useEffect } from '../../../pages/parts/use-effect.ts';

/** These keys scroll a part of the page that has the focus. */
const SCROLL_KEYS = ['ArrowLeft', 'ArrowRight', 'Home', 'End'];

/**
 * Handles keys for the whole page. Ignores keys while a person types, chooses, or scrolls a part of
 * the page. `onKey` returns whether it has used the key.
 */
export function useKeys(isOn: boolean, onKey: (key: string) => boolean) {
  // The listener calls the `onKey` of the latest render. A new listener for each render would miss
  // keys between two renders.
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    if (!isOn) return undefined;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const target = event.target as Element;
      if (target.closest('input, select, textarea')) return;
      if (SCROLL_KEYS.includes(event.key) && target.matches('[tabindex="0"]')) return;
      if (latest.current?.(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [isOn]);
}
