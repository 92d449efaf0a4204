import type { PlayState, SyllabusEntry, ToldChapter } from '../api.ts';
import { situationAt } from '../part.ts';
import type { Place } from '../place.ts';
import { outcomeOf } from './outcome.ts';
import { howMany } from './words.ts';

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
    const number = state.sessions.length;
    return (
      <div class="headline">
        <p class="title">{chapter.dare}</p>
        <p>
          <b>{entry?.name ?? place.strategy}</b>: {entry?.idea}. Here {idea}. There{' '}
          {number === 1 ? 'is' : 'are'} {howMany(number, chapter.session)}, and you decide who runs
          next{state.events.deaths > 0 && ', and whose process dies'}.
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
