import { useState } from 'hono/jsx/dom';
import type { Experiment } from '../../../lab/sandbox/experiment.ts';
import { useEffect } from '../../parts/use-effect.ts';
import { fragmentOf, readFragment } from './address.ts';

/** Browsers refuse many changes of the address in a short time. */
const TYPING_MS = 300;

/**
 * Returns the experiment of the page, and a function that changes it. The address follows. `first`
 * is used if the address has no experiment.
 */
export function useExperiment(first: Experiment): [Experiment, (next: Experiment) => void] {
  const [experiment, setExperiment] = useState(() => readFragment(location.hash) ?? first);
  const fragment = fragmentOf(experiment);
  useEffect(() => {
    const follow = () => setExperiment(readFragment(location.hash) ?? first);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    const write = () => history.replaceState(null, '', location.search + fragment);
    const timer = setTimeout(write, TYPING_MS);
    return () => clearTimeout(timer);
  }, [fragment]);
  return [experiment, setExperiment];
}

/** A permalink to the experiment. The address of the page may be a moment behind. */
export const linkTo = (experiment: Experiment): string =>
  location.origin + location.pathname + location.search + fragmentOf(experiment);
