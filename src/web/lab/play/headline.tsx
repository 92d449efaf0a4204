import type { PlayState, SyllabusEntry, ToldChapter } from '../api.ts';
import type { Place } from '../place.ts';
import { outcomeOf, situationAt } from './outcome.ts';

interface HeadlineProps {
  state: PlayState;
  place: Place;
  entry: SyllabusEntry | undefined;
  chapter: ToldChapter;
}

/** The question of the game, and at the end its answer. */
export function Headline({ state, place, entry, chapter }: HeadlineProps) {
  if (!state.isOver) {
    const { idea = '' } = situationAt(entry, place) ?? {};
    const many = place.sessions === 2 ? 'two' : 'three';
    return (
      <div class="headline">
        <p class="title">{chapter.dare}</p>
        <p>
          <b>{entry?.name ?? place.strategy}</b>: {entry?.idea}. Here {idea}. There are {many}{' '}
          {chapter.session.many}, and you decide who runs next.
        </p>
      </div>
    );
  }
  const { kind, title, detail } = outcomeOf(state, place, entry, chapter);
  return (
    <div class={`headline ${kind}`}>
      <p class="title">{title}</p>
      <p>{detail}</p>
    </div>
  );
}
