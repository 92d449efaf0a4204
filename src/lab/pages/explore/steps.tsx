import { useState } from 'hono/jsx/dom';
import type { ToldChapter, ToldSchedule } from '../api.ts';
import { SwimLanes } from '../swim-lanes.tsx';
import { TranscriptText } from '../transcript.tsx';
import { Endings } from './endings.tsx';
import { Player } from './player.tsx';

interface StepsProps {
  told: ToldSchedule;
  faults: Pick<ToldChapter['faults'][number], 'name' | 'inWords'>[];
  /** What happens after the end of all sessions. */
  afterwards?: string | undefined;
}

/** Shows one schedule, step by step, with its end and its transcript. */
export function Steps({ told, faults, afterwards }: StepsProps) {
  const last = told.steps.length;
  const [shown, setShown] = useState(last);
  return (
    <>
      <div class="toolbar">
        <Player shown={shown} last={last} onShow={setShown} />
      </div>
      <SwimLanes
        sessions={told.sessions}
        steps={told.steps.slice(0, shown)}
        afterwards={afterwards}
      />
      {shown === last && <Endings told={told} faults={faults} />}
      <TranscriptText told={told} />
    </>
  );
}
