import type { SyllabusEntry, ToldChapter, ToldLesson } from './api.ts';
import type { Go, Place } from './place.ts';

/** The properties of each part of the lab. */
export interface PartProps {
  place: Place;
  go: Go;
  strategies: readonly SyllabusEntry[];
  chapters: readonly ToldChapter[];
  lessons: readonly ToldLesson[];
}

export const addressOf = ({ chapter, name }: SyllabusEntry): string => `${chapter}/${name}`;

/** Finds the strategy with an address such as `claims/naive`, or with a name such as `naive`. */
export const entryAt = (
  strategies: PartProps['strategies'],
  address: string,
): SyllabusEntry | undefined =>
  strategies.find((each) => addressOf(each) === address) ??
  strategies.find(({ name }) => name === address);

/**
 * Returns the address by which the server finds the strategy of a place. Old permalinks have only a
 * name, because the lab once had only one chapter. If several chapters have a strategy of this
 * name, the first of these chapters counts.
 */
export function askedBy(strategies: PartProps['strategies'], { strategy }: Place): string {
  const [first, another] = strategies.filter(({ name }) => name === strategy);
  return first && another ? addressOf(first) : strategy;
}

/** Returns the address of the exploration that plays every order of a place. */
export function explorationAt(strategies: PartProps['strategies'], place: Place): string {
  const { situation, sessions } = place;
  const asked = { strategy: askedBy(strategies, place), sessions: String(sessions) };
  return `/explorations?${new URLSearchParams({ ...asked, ...(situation && { situation }) })}`;
}

/** Returns the situation of a place, with its proof. The default is the first situation. */
export const situationAt = (
  entry: SyllabusEntry | undefined,
  { situation }: Place,
): SyllabusEntry['situations'][number] | undefined =>
  situation === ''
    ? entry?.situations[0]
    : entry?.situations.find(({ name }) => name === situation);

/** Returns the chapter of a strategy. Without a strategy, returns the first chapter. */
export function chapterOf(
  { chapters }: Pick<PartProps, 'chapters'>,
  entry: SyllabusEntry | undefined,
): ToldChapter {
  const [first] = chapters;
  const found = chapters.find(({ name }) => name === entry?.chapter) ?? first;
  if (!found) throw new Error('the lab has no chapter');
  return found;
}
