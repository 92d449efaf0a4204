import { useState } from 'hono/jsx/dom';
import { useEffect } from '../parts/use-effect.ts';
import { type Go, hrefOf, type Place, readPlace } from './place.ts';

/**
 * Returns the place of the page, and a function that goes to another place. A step of a schedule
 * replaces the step before in the browser's history. So Back leads out of the game, and not through
 * every move of the game.
 */
export function usePlace(): [Place, Go] {
  const [place, setPlace] = useState(() => readPlace(location.search));
  useEffect(() => {
    const follow = () => setPlace(readPlace(location.search));
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  const go: Go = (change) => {
    const before = readPlace(location.search);
    const isOther = 'strategy' in change || 'situation' in change || 'sessions' in change;
    const next = { ...before, ...(isOther && { step: null }), ...change };
    const isStep = Object.keys(change).every((key) => key === 'schedule' || key === 'step');
    if (isStep) history.replaceState(null, '', hrefOf(next));
    else history.pushState(null, '', hrefOf(next));
    setPlace(next);
  };
  return [place, go];
}
