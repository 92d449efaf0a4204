import { isDeepStrictEqual } from 'node:util';
import type { Stage } from '../../explorer/stage.ts';
import { sessionsIn } from '../chapter.ts';
import { findSituation, findStrategy } from '../chapters/index.ts';
import { stateAfter } from '../pages/site/replay.ts';
import { play } from '../play/play.ts';
import { SESSIONS } from '../play/play-all.ts';
import type { RecordedState, Recording } from './recording.ts';

interface CheckOptions {
  /** The number of schedules to play. */
  schedules: number;
  stop: AbortSignal;
  /** Called after each schedule, with the number of schedules so far. */
  onSchedule: (schedules: number) => void;
}

/**
 * Plays random recorded schedules again, each to its end and to a random step. Returns the replay of
 * the first state that is not as recorded, such as `claims/naive 1,2 --situation last-slot`.
 * Returns undefined if all are as recorded.
 */
export async function checkRecordings(
  stage: Stage,
  recordings: ReadonlyMap<string, Recording>,
  { schedules, stop, onSchedule }: CheckOptions,
): Promise<string | undefined> {
  const all = [...recordings];
  for (let count = 1; count <= schedules; count++) {
    stop.throwIfAborted();
    const [address, recording] = oneOf(all);
    const situation = oneOf(Object.keys(recording.situations));
    const whole = randomSchedule(recording, situation);
    const part = whole.slice(0, Math.floor(Math.random() * whole.length));
    for (const schedule of [whole, part])
      if (!(await isAsRecorded(stage, { address, recording, situation, schedule })))
        return `${address} ${schedule.join() || '1'} --situation ${situation}`;
    onSchedule(count);
  }
  return undefined;
}

const oneOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

function randomSchedule({ states, situations }: Recording, situation: string): string[] {
  const schedule: string[] = [];
  for (let at = situations[situation]?.first; at !== undefined; ) {
    const [, , , next] = states[at] as RecordedState;
    const choice = oneOf(Object.keys(next)) as string | undefined;
    if (choice === undefined) break;
    schedule.push(choice);
    at = next[choice];
  }
  return schedule;
}

interface Checked {
  address: string;
  recording: Recording;
  situation: string;
  schedule: string[];
}

async function isAsRecorded(
  stage: Stage,
  { address, recording, situation: name, schedule }: Checked,
): Promise<boolean> {
  const found = findStrategy(address);
  if (typeof found === 'string') return false;
  const situation = findSituation(found, name);
  if (typeof situation === 'string') return false;
  const sessions = sessionsIn(situation, SESSIONS);
  const now = await play(stage, { ...found, situation, sessions, schedule });
  // JSON is what a page gets from a server.
  const told: unknown = JSON.parse(JSON.stringify(now));
  return isDeepStrictEqual(told, stateAfter(recording, name, schedule));
}
