import type { PlayedSession, PlayState, ToldChapter } from '../api.ts';
import { capitalised } from '../choose.tsx';
import type { Move } from './game.ts';
import { Lane, type LaneEvent } from './lane.tsx';
import { type Wait, Waits } from './waits.tsx';
import { allows, type EventKey } from './words.ts';

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
          canStep={[`${played.session}`, `.${played.session}`].some((each) =>
            choices.includes(each),
          )}
          onStep={() => move(String(played.session))}
          events={eventsOf(state, played, move)}
        />
      ))}
    </div>
  );
}

/**
 * Returns the events that have a button in the lane of a session. The death of a process has a
 * button only in the lane of the first session of the process. The buttons for deaths and lost
 * answers stay when they cannot be pressed, so that no button moves under the mouse.
 */
function eventsOf(
  state: PlayState,
  { session, dieTogether }: PlayedSession,
  move: LanesProps['move'],
): LaneEvent[] {
  const isFirst = dieTogether[0] === session;
  const event = (key: EventKey): LaneEvent => ({
    key,
    isPossible: state.choices.includes(`${key}${session}`),
    onChoose: () => move(`${key}${session}`),
  });
  return [
    ...(allows(state, 'k') && isFirst ? [event('k')] : []),
    ...(allows(state, 'l') ? [event('l')] : []),
    ...[event('d'), event('x'), event('f')].filter(({ isPossible }) => isPossible),
  ];
}

/**
 * Returns the waits that the arrows show. If PostgreSQL found a deadlock at this step, these are
 * the waits of the deadlock's cycle. At other steps, these are the present waits.
 */
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
