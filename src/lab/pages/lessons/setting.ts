import type { ToldLesson } from '../api.ts';
import { addressOf, entryAt, type PartProps, situationAt } from '../part.ts';
import { HOME, type Place } from '../place.ts';

type Setting = ToldLesson['inBrowser']['setting'];

/** Returns the place where a lesson is done, with everything set. */
export function placeOf({ number, inBrowser: { setting } }: ToldLesson): Place {
  const { page: view, strategy } = setting;
  const place = { ...HOME, lesson: number, view, strategy };
  if (setting.page !== 'race') return { ...place, situation: setting.situation };
  const { beside = '', recruiters, rounds } = setting;
  return { ...place, beside, recruiters, rounds };
}

/** Returns the places whose maps of all orders belong to the answer of a lesson. */
export function mappedBy({ number, inBrowser: { setting } }: ToldLesson): Place[] {
  if (setting.page !== 'play') return [];
  const { maps = [], situation } = setting;
  return maps.map((strategy) => ({ ...HOME, lesson: number, strategy, situation }));
}

/** Returns whether this place has the page, the strategy and the situation of the lesson. */
export function isAt(setting: Setting, place: Place, strategies: PartProps['strategies']): boolean {
  const entry = entryAt(strategies, place.strategy);
  if (!entry || place.view !== setting.page || addressOf(entry) !== setting.strategy) return false;
  return setting.page === 'race' || situationAt(entry, place)?.name === setting.situation;
}

/** The names of the pages where lessons are done. */
export const pageNames = { play: 'Play', explore: 'Explore', race: 'Race' } as const;
