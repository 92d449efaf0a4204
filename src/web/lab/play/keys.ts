import { useRef } from 'hono/jsx/dom';
import { useEffect } from '../../parts/use-effect.ts';

/**
 * Keys that act wherever one is in the page, but not while one types or chooses. `onKey` says whether
 * it knows the key.
 */
export function useKeys(isOn: boolean, onKey: (key: string) => boolean) {
  // What was rendered last is asked: to listen anew each time would miss keys in between.
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    if (!isOn) return undefined;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if ((event.target as Element).closest('input, select, textarea')) return;
      if (latest.current?.(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [isOn]);
}
