import type { Entry } from './api.ts';
import type { Go, Place } from './place.ts';

/** What each part of the lab is given. */
export interface PartProps {
  place: Place;
  go: Go;
  strategies: readonly Entry[];
}
