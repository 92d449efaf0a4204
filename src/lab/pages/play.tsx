import { useState } from 'hono/jsx/dom';
import { Choose } from './choose.tsx';
import { Endings } from './explore/endings.tsx';
import { Goal } from './lessons/goal.tsx';
import { seenInPlay } from './lessons/seen.ts';
import { askedBy, chapterOf, entryAt, type PartProps } from './part.ts';
import { Controls } from './play/controls.tsx';
import { Database } from './play/database.tsx';
import { useGame } from './play/game.ts';
import { Headline } from './play/headline.tsx';
import { Lanes } from './play/lanes.tsx';
import { Ledger } from './play/ledger.tsx';
import { useMoveKeys } from './play/move-keys.ts';
import { Trouble } from './play/trouble.tsx';
import { askWhose, type EventKey, whatHappened } from './play/words.ts';
import { SwimLanes } from './swim-lanes.tsx';
import { Transcript } from './transcript.tsx';

/** Shows a game with real sessions. The visitor is the scheduler. */
export function Play(props: PartProps) {
  const { place, go, strategies } = props;
  const strategy = askedBy(strategies, place);
  const { state, problem, refusal, move, again } = useGame(place, go, strategy);
  const [begun, setBegun] = useState<EventKey | undefined>(undefined);
  const [hasKeys, setHasKeys] = useState(true);
  useMoveKeys({ isOn: hasKeys, state, move, onBegin: setBegun });
  const entry = entryAt(strategies, place.strategy);
  const chapter = chapterOf(props, entry);
  return (
    <>
      <h2 class="unseen">Play the scheduler</h2>
      <Goal {...props} seen={seenInPlay(state, place)} />
      <Choose {...props} />
      {problem && <Trouble problem={problem} place={place} go={go} again={again} />}
      {!state && !problem && <p class="said">Preparing the tables …</p>}
      {state && !problem && (
        <>
          {state.failure !== null && (
            <p class="problem" role="alert">
              {state.failure}
            </p>
          )}
          <Headline state={state} place={place} go={go} entry={entry} chapter={chapter} />
          <div class="table">
            <div class={state.isOver ? 'game over' : 'game'}>
              {/* At the end the lanes are empty. The steps tell the story. */}
              {!state.isOver && <Lanes state={state} move={move} chapter={chapter} />}
              <Controls state={state} move={move} hasKeys={hasKeys} onKeys={setHasKeys} />
              <p class="said" role="status">
                {begun ? askWhose(begun, state) : (refusal ?? whatHappened(state, chapter))}
              </p>
              {state.told.steps.length > 0 && (
                <SwimLanes {...state.told} afterwards={chapter.afterwards} />
              )}
              {state.isOver && <Endings told={state.told} faults={chapter.faults} />}
            </div>
            <div class="beside">
              <Database state={state} />
              {chapter.ledger && <Ledger name={chapter.ledger} told={state.told} />}
            </div>
          </div>
          <Transcript place={{ ...place, strategy }} entry={entry} told={state.told} />
        </>
      )}
    </>
  );
}
