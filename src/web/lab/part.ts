import type { SyllabusEntry, ToldChapter } from './api.ts';
import type { Go, Place } from './place.ts';

/** The properties of each part of the lab. */
export interface PartProps {
  place: Place;
  go: Go;
  strategies: readonly SyllabusEntry[];
  chapters: readonly ToldChapter[];
}

export const addressOf = ({ chapter, name }: SyllabusEntry): string => `${chapter}/${name}`;

/** The strategy at an address such as `claims/naive`, or of a name such as `naive`. */
export const entryAt = (
  strategies: PartProps['strategies'],
  address: string,
): SyllabusEntry | undefined =>
  strategies.find((each) => addressOf(each) === address) ??
  strategies.find(({ name }) => name === address);

/** The chapter of a strategy, or else the first one. */
export function chapterOf(
  { chapters }: Pick<PartProps, 'chapters'>,
  entry: SyllabusEntry | undefined,
): ToldChapter {
  const [first] = chapters;
  const found = chapters.find(({ name }) => name === entry?.chapter) ?? first;
  if (!found) throw new Error('the lab has no chapter');
  return found;
}
