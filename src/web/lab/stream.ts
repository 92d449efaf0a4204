import { asking } from '../parts/api.ts';
import { eventsOf } from '../parts/events.ts';
import { labUrl } from './api.ts';

/** The events of a stream, each by its name with what it says. */
export type News<Events> = {
  [Name in keyof Events]: { name: Name; data: Events[Name] };
}[keyof Events];

/** Asks the lab for a stream, and gives its events. Throws with the words of an answer that is none. */
export async function* newsOf<Events>(
  path: string,
  init: RequestInit,
): AsyncGenerator<News<Events>> {
  const answer = await asking.fetch(labUrl + path, { ...init, headers: asking.headers() });
  if (!answer.ok || !answer.body) throw new Error((await answer.json()).detail);
  for await (const event of eventsOf(answer.body)) if (event) yield event as News<Events>;
}
