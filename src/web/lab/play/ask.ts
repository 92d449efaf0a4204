import { type PlayState, plays } from '../api.ts';
import { hrefOf, type Place } from '../place.ts';

/** A play; or why there is none, in words for a person, and whether it may pass by itself. */
export type Answer = { state: PlayState } | { problem: Problem };

export interface Problem {
  words: string;
  mayPass: boolean;
}

const TRIES = 5;
/** What was answered before. Schedules are deterministic, so undoing need not ask again. */
const known = new Map<string, Answer>();

/** Where a schedule has come to; a server that has too much to do is asked again a few times. */
export async function askPlay(place: Place, tries = 1): Promise<Answer> {
  const before = known.get(hrefOf(place));
  if (before) return before;
  const { strategy, scenario, sessions, schedule } = place;
  // The address may hold anything, and the service says what is wrong with it.
  const json = { strategy, scenario, sessions, schedule } as Parameters<
    typeof plays.$post
  >[0]['json'];
  try {
    const response = await plays.$post({ json });
    if (response.status === 200) return remember(place, { state: await response.json() });
    const { detail } = await response.json();
    const seconds = Number(response.headers.get('Retry-After'));
    const mayPass = response.status === 503;
    if (seconds === 0 || tries === TRIES) return { problem: { words: detail, mayPass } };
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  } catch {
    return { problem: { words: 'The server cannot be reached.', mayPass: true } };
  }
  return askPlay(place, tries + 1);
}

function remember(place: Place, answer: Answer): Answer {
  known.set(hrefOf(place), answer);
  return answer;
}
