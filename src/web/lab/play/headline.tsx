import type { Entry, PlayState } from '../api.ts';
import type { Place } from '../place.ts';
import { outcomeOf } from './outcome.ts';

interface HeadlineProps {
  state: PlayState;
  place: Place;
  entry: Entry | undefined;
}

/** The question of the game, and at the end its answer. */
export function Headline({ state, place, entry }: HeadlineProps) {
  if (!state.isOver) {
    const idea = entry?.settings.find(({ name }) => name === place.scenario)?.idea ?? '';
    const many = place.sessions === 2 ? 'Two' : 'Three';
    return (
      <div class="headline">
        <p class="title">Can you oversell it?</p>
        <p>
          <b>{place.strategy}</b>: {entry?.idea}. Here {idea}. {many} recruiters claim, and you
          decide who runs next.
        </p>
      </div>
    );
  }
  const { kind, title, detail } = outcomeOf(state, place, entry);
  return (
    <div class={`headline ${kind}`}>
      <p class="title">{title}</p>
      <p>{detail}</p>
    </div>
  );
}
