import { type PlayState, plays } from '../api.ts';
import { patiently } from '../patiently.ts';
import { hrefOf, type Place } from '../place.ts';

/** A play, or the reason why there is none. */
export type Answer = { state: PlayState } | { problem: Problem };

export interface Problem {
  /** For a person. */
  words: string;
  /** The problem may pass by itself. */
  mayPass: boolean;
}

/** Earlier answers, by address. Schedules are deterministic, so undo sends no new request. */
const known = new Map<string, Answer>();

/** The state after a schedule. A busy server is asked again a few times. */
export async function askPlay(place: Place): Promise<Answer> {
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

function remember(place: Place, answer: Answer): Answer {
  known.set(hrefOf(place), answer);
  return answer;
}
