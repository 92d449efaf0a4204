import { useEffect } from 'hono/jsx/dom';

/** Keys that act wherever one is in the page, but not while one types or chooses. */
export function useKeys(isOn: boolean, onKey: (key: string) => boolean) {
  useEffect(() => {
    if (!isOn) return undefined;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if ((event.target as Element).closest('input, select, textarea')) return;
      if (onKey(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
