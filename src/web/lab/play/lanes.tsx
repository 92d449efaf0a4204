import type { PlayState, ToldChapter } from '../api.ts';
import { capitalised } from '../choose.tsx';
import type { Move } from './game.ts';
import { Lane } from './lane.tsx';
import { type Wait, Waits } from './waits.tsx';

interface LanesProps {
  state: PlayState;
  move: (move: Move) => void;
  chapter: ToldChapter;
}

export function Lanes({ state, move, chapter }: LanesProps) {
  const { sessions, told, choices, deadlock } = state;
  const isDeadlock = deadlock?.step === told.schedule.length;
  return (
    <div class={`lanes of-${sessions.length}`}>
      <Waits waits={waitsOf(state)} sessions={sessions.length} />
      {sessions.map((played) => (
        <Lane
          key={played.session}
          played={played}
          who={`${capitalised(chapter.session.one)} ${played.session}`}
          ending={told.endings[played.session - 1] ?? null}
          isVictim={isDeadlock && deadlock?.victim === played.session}
          canStep={choices.includes(String(played.session))}
          onStep={() => move(String(played.session))}
        />
      ))}
    </div>
  );
}

/** The circle of a deadlock at the step that found it. At other steps, the sessions that wait now. */
function waitsOf({ sessions, told, deadlock }: PlayState): Wait[] {
  if (deadlock?.step === told.schedule.length)
    return deadlock.cycle.map((from, index, { length }) => ({
      from,
      to: deadlock.cycle[(index + 1) % length] ?? from,
      isDeadlock: true,
    }));
  return sessions.flatMap(({ session, waitsFor }) =>
    waitsFor.map((to) => ({ from: session, to, isDeadlock: false })),
  );
}
