import { Choose } from './choose.tsx';
import { chapterOf, entryAt, type PartProps } from './part.ts';
import { Controls } from './play/controls.tsx';
import { Database } from './play/database.tsx';
import { useGame } from './play/game.ts';
import { Headline } from './play/headline.tsx';
import { Lanes } from './play/lanes.tsx';
import { Trouble } from './play/trouble.tsx';
import { whatHappened } from './play/words.ts';
import { SwimLanes } from './swim-lanes.tsx';
import { Transcript } from './transcript.tsx';

/** Plays with real sessions. The person at the page is the scheduler. */
export function Play(props: PartProps) {
  const { place, go, strategies } = props;
  const { state, problem, refusal, move, again } = useGame(place, go);
  const entry = entryAt(strategies, place.strategy);
  const chapter = chapterOf(props, entry);
  return (
    <>
      <h2 class="unseen">Play the scheduler</h2>
      <Choose {...props} />
      {problem && <Trouble problem={problem} place={place} go={go} again={again} />}
      {!state && !problem && <p class="said">Preparing the tables …</p>}
      {state && !problem && (
        <>
          <Headline state={state} place={place} entry={entry} chapter={chapter} />
          <div class="table">
            <div class="game">
              <Lanes state={state} move={move} chapter={chapter} />
              <Controls state={state} move={move} />
              <p class="said" role="status">
                {refusal ?? whatHappened(state)}
              </p>
              {state.told.steps.length > 0 && (
                <SwimLanes sessions={state.told.sessions} steps={state.told.steps} />
              )}
            </div>
            <Database state={state} />
          </div>
          <Transcript place={place} told={state.told} />
        </>
      )}
    </>
  );
}
