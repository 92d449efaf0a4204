import { useRef } from 'hono/jsx/dom';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import type { PlayState, SyllabusEntry, ToldChapter } from '../api.ts';
import { focusOn } from '../focus.ts';
import { PlaceLink } from '../link.tsx';
import { type PartProps, situationAt } from '../part.ts';
import { outcomeOf, PROVEN_FOR, provenOf, wordOf } from './outcome.ts';
import { askedFault } from './question.ts';
import { howMany } from './words.ts';

interface HeadlineProps extends Pick<PartProps, 'place' | 'go'> {
  state: PlayState;
  entry: SyllabusEntry | undefined;
  chapter: ToldChapter;
}

const OUTCOME = 'outcome';

/** Shows the question of the game, and at the end the outcome of the game. */
export function Headline({ state, place, go, entry, chapter }: HeadlineProps) {
  const proof = situationAt(entry, place);
  const wasOver = useRef(state.isOver);
  useEffect(() => {
    // The button of the last step is gone, and no element has the focus. So the outcome gets the
    // focus.
    if (state.isOver && !wasOver.current && document.activeElement === document.body)
      focusOn(OUTCOME);
    wasOver.current = state.isOver;
  }, [state.isOver]);
  const asked = askedFault(chapter, proof);
  if (!state.isOver && state.deadlock && asked.name === 'deadlock')
    return (
      <div class="headline won">
        <p class="title">Deadlocked! PostgreSQL has stopped S{state.deadlock.victim}.</p>
        <p>Play on to the end, and see who gets a slot.</p>
      </div>
    );
  if (!state.isOver) {
    const number = state.sessions.length;
    return (
      <div class="headline">
        <p class="title">{asked.dare}</p>
        <p>
          {proof && `${proof.idea.replace(/^./, (first) => first.toUpperCase())}. `}
          There {number === 1 ? 'is' : 'are'} {howMany(number, chapter.session)}, and you decide{' '}
          {number === 1 ? 'what happens next' : 'who runs next'}
          {number > 1 && state.events.deaths > 0 && ', and whose process dies'}.
        </p>
      </div>
    );
  }
  const { kind, title, detail } = outcomeOf(state, proof, chapter);
  // The page does not know the result of all schedules of a visitor's script.
  const known = entry && proof && proof.schedules > 0 && { entry, proof, chapter };
  return (
    <div id={OUTCOME} class={`headline ${kind}`} tabindex={-1}>
      <p class="title">{title}</p>
      <p>{detail}</p>
      {known && kind === 'won' && <Proven {...known} />}
      {known && kind !== 'won' && (
        <details>
          <summary>Can it be done at all?</summary>
          <p>{wordOf(known.proof)}</p>
          <Proven {...known} />
          <Witness {...known} place={place} go={go} />
        </details>
      )}
    </div>
  );
}

interface Known {
  entry: SyllabusEntry;
  proof: SyllabusEntry['situations'][number];
  chapter: ToldChapter;
}

/** Shows the result of all schedules, and the idea of the strategy. */
const Proven = ({ entry, proof, chapter }: Known) => (
  <p>
    {provenOf(proof, chapter)} <b>{entry.name}</b>: {entry.idea}.
  </p>
);

/** Shows a link to the clearest schedule with the fault that the game asks for. */
function Witness({ proof, chapter, place, go }: Known & Pick<PartProps, 'place' | 'go'>) {
  const schedule = proof.clearest[askedFault(chapter, proof).name]?.split(',');
  if (!schedule) return null;
  return (
    <PlaceLink place={place} go={go} to={{ sessions: PROVEN_FOR, schedule }}>
      Show {schedule.length} steps that do it
    </PlaceLink>
  );
}
