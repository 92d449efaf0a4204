import type { ScheduleNews } from '../../runs.ts';
import { type PlayState, plays } from '../api.ts';
import { patiently } from '../patiently.ts';
import { hrefOf, type Place } from '../place.ts';
import { lessonOfScript, scripts } from '../sql/scripts.ts';
import { newsOf } from '../stream.ts';

/** The state of a game, or the reason why there is no game. */
export type PlayAnswer = { state: PlayState } | { problem: PlayProblem };

export interface PlayProblem {
  /** The problem in words for a person. */
  words: string;
  /** Whether the problem may pass by itself. */
  mayPass: boolean;
}

/**
 * Earlier answers, by address. A schedule always has the same answer, so Undo sends no new request.
 */
const known = new Map<string, PlayAnswer>();

/** Returns the state after a schedule. Asks a busy server again a few times. */
export async function askPlay(place: Place): Promise<PlayAnswer> {
  const lesson = lessonOfScript(place.strategy);
  if (lesson > 0) return askPlayOfScript(place, lesson);
  const before = known.get(hrefOf(place));
  if (before) return before;
  const { strategy, situation, sessions, schedule } = place;
  const asked = { strategy, sessions, schedule, ...(situation && { situation }) };
  // The address may contain wrong values. The service checks them, and says what is wrong.
  const json = asked as Parameters<typeof plays.$post>[0]['json'];
  try {
    const response = await patiently(() => plays.$post({ json }));
    if (response.status === 200) return remember(place, { state: await response.json() });
    const { detail } = await response.json();
    return { problem: { words: detail, mayPass: response.status === 503 } };
  } catch {
    return { problem: { words: 'The server cannot be reached.', mayPass: true } };
  }
}

/** Returns the state after a schedule of the visitor's script. */
async function askPlayOfScript(place: Place, lesson: number): Promise<PlayAnswer> {
  const text = scripts.get()[lesson];
  if (text === undefined)
    return { problem: { words: `This browser has no SQL of lesson ${lesson}.`, mayPass: false } };
  const key = JSON.stringify([hrefOf(place), text]);
  const before = known.get(key);
  if (before) return before;
  const { situation, schedule } = place;
  const body = JSON.stringify({ lesson, text, situation, schedule });
  try {
    for await (const news of newsOf<ScheduleNews<PlayState>>('/scripts/plays', {
      method: 'POST',
      body,
    }))
      if (news.name === 'failed') return { problem: { words: news.data.detail, mayPass: false } };
      else if (news.name === 'done') {
        const answer = { state: news.data };
        known.set(key, answer);
        return answer;
      }
    return { problem: { words: 'The server sent no state.', mayPass: true } };
  } catch (error) {
    return { problem: { words: (error as Error).message, mayPass: true } };
  }
}

function remember(place: Place, answer: PlayAnswer): PlayAnswer {
  known.set(hrefOf(place), answer);
  return answer;
}
