import { eventsOf } from '../../client/events.ts';
import { api } from '../../pages/parts/api.ts';
import { reached } from './api.ts';

/** The events of a stream, each with its name and data. */
export type News<Events> = {
  [Name in keyof Events]: { name: Name; data: Events[Name] };
}[keyof Events];

/** Asks the lab for a stream, and yields its events. Throws errors with words for a person. */
export async function* newsOf<Events>(
  path: string,
  init: RequestInit,
): AsyncGenerator<News<Events>> {
  const answer = await reached(api.fetch(`/lab${path}`, init));
  if (!answer.ok || !answer.body) throw new Error((await answer.json()).detail);
  let last = '';
  try {
    for await (const event of eventsOf(answer.body)) {
      if (!event) continue;
      last = event.name;
      yield event as News<Events>;
    }
  } catch {
    // The connection was cut. The message below says so.
  }
  if (last !== 'done' && last !== 'failed')
    throw new Error('The connection to the server broke. Try again.');
}
