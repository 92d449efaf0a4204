import { useRef } from 'hono/jsx/dom';
import { useEffect } from '../../parts/use-effect.ts';

/** What scrolls and has the focus moves by these. */
const SCROLL_KEYS = ['ArrowLeft', 'ArrowRight', 'Home', 'End'];

/**
 * Keys that act wherever one is in the page, but not while one types, chooses or scrolls a part of it.
 * `onKey` says whether it knows the key.
 */
export function useKeys(isOn: boolean, onKey: (key: string) => boolean) {
  // What was rendered last is asked: to listen anew each time would miss keys in between.
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
