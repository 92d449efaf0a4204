import { type PlayState, plays } from '../api.ts';
import { patiently } from '../patiently.ts';
import { hrefOf, type Place } from '../place.ts';

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

function remember(place: Place, answer: PlayAnswer): PlayAnswer {
  known.set(hrefOf(place), answer);
  return answer;
}
