import type { Exploration } from '../../explorer/explore.ts';
import { type Explorable, type Situation, type Strategy, sessionsIn } from '../chapter.ts';

const USUAL_SESSIONS = 2;
/** The largest number of sessions whose schedules are played. */
export const MOST_SESSIONS = 3;

/** The schedules of one situation with one number of sessions. */
export interface Search {
  situation: Situation;
  sessions: number;
  /** The maximum number of schedules. Undefined if all schedules are played. */
  most: number | undefined;
  /** Whether there are more sessions than in the tables of docs/strategies.md. */
  isExtra: boolean;
  /** The sessions in words, such as `three recruiters, `. Empty if the search is not extra. */
  prefix: string;
}

/** Returns all searches: first the usual sessions in every situation, then three sessions. */
export function searchesOf(chapter: Explorable, strategy: Strategy): Search[] {
  const situations = chapter.situationsOf(strategy);
  const usual = situations.map((situation) => ({
    situation,
    sessions: sessionsIn(situation, USUAL_SESSIONS),
    most: situation.most,
    isExtra: false,
    prefix: '',
  }));
  const most = chapter.mostOfThree;
  if (most === undefined) return usual;
  const extra = situations
    .filter(({ sessions }) => sessions === undefined)
    .map((situation) => ({
      situation,
      sessions: MOST_SESSIONS,
      most,
      isExtra: true,
      prefix: `three ${chapter.session.many}, `,
    }));
  return [...usual, ...extra];
}

/**
 * Says which orders of a search were not played, and why. Empty if only the limit ended the search,
 * because each check already says how many orders were played.
 */
export function restOf(
  { prefix, situation }: Search,
  { divergence, schedules }: Exploration,
): string[] {
  if (divergence === undefined) return [];
  const why = 'because a schedule ran differently when it was played again';
  return [`${prefix}${situation.idea}: orders after the first ${schedules}, ${why}`];
}

/** Says which numbers of sessions were not played. */
export function sayLarger(chapter: Explorable, played: readonly Search[]): string {
  const isExtra = played.some((search) => search.isExtra);
  const usual = isExtra ? MOST_SESSIONS : USUAL_SESSIONS;
  const namesOf = (isMeant: (search: Search) => boolean) =>
    played
      .filter((search) => !search.isExtra && isMeant(search))
      .map(({ situation }) => situation.name);
  const larger = namesOf(({ sessions }) => sessions > usual);
  const smaller = namesOf(({ situation }) => isExtra && situation.sessions === USUAL_SESSIONS);
  return [
    `orders of more than ${isExtra ? 'three' : 'two'} ${chapter.session.many}`,
    ...(larger.length > 0 ? [`except in ${larger.join(' and ')}`] : []),
    ...(smaller.length > 0 ? [`and of more than two in ${smaller.join(', ')}`] : []),
  ].join(', ');
}
