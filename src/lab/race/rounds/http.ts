import { z } from 'zod';
import { nameOf } from '../../../service/http/auth/caller.ts';
import { streamEvents } from '../../../service/http/event-stream.ts';
import { newRoutes } from '../../../service/http/new-routes.ts';
import { problem, RETRY_AFTER } from '../../../service/http/problem.ts';
import {
  busy,
  invalid,
  invalidRequest,
  methodNotAllowed,
  notJson,
} from '../../../service/http/problems.ts';
import { type Addressed, findStrategy } from '../../chapters/index.ts';
import { noSuchStrategy } from '../../problems.ts';
import { hasCrashes } from '../crashes/crashes.ts';
import { RaceLine, type RaceLineDeps } from './race-line.ts';
import type { Field } from './rounds.ts';

/**
 * The maximum number of sessions in a race with crashes. Each of these sessions has its own
 * connection.
 */
const MOST_PROCESSES = 20;

const from1To = (most: number) => `is a whole number from 1 to ${most}`;
const upTo = (most: number) => z.int(from1To(most)).min(1, from1To(most)).max(most, from1To(most));

/** Anybody may use a hosted lab, so every value has a limit. */
const race = z.object({
  strategies: z
    .array(z.string(), 'is a list of one strategy or two')
    .min(1, 'is a list of one strategy or two')
    .max(2, 'is a list of one strategy or two'),
  recruiters: upTo(50).default(8),
  capacity: upTo(50).default(4),
  rounds: upTo(20).default(5),
});

/**
 * Makes the routes of races that the server runs. The answers are streams of the events `queued`,
 * `round`, `done`, `failed`.
 */
export function roundRoutes(deps: RaceLineDeps) {
  const races = new RaceLine(deps);
  const routes = newRoutes();
  routes.post('/rounds', async (c) => {
    const body: unknown = await c.req.json().catch(() => undefined);
    if (body === undefined) return problem(notJson);
    const asked = race.safeParse(body);
    if (!asked.success) return invalid(asked.error, 'body');
    const found = asked.data.strategies.map((address) => findStrategy(address));
    const wrong = found.find((each) => typeof each === 'string');
    if (wrong !== undefined) return problem(noSuchStrategy(wrong));
    const field = fieldOf(found as Addressed[]);
    if (!field)
      return problem({
        ...invalidRequest,
        detail: 'The strategies of a race must belong to one chapter.',
      });
    const { recruiters: sessions, capacity, rounds } = asked.data;
    if (hasCrashes(field.chapter) && sessions > MOST_PROCESSES)
      return problem({ ...invalidRequest, detail: `recruiters ${from1To(MOST_PROCESSES)}` });
    const listener = races.listen(field, { sessions, capacity, rounds }, nameOf(c.get('caller')));
    if (listener === 'full') return problem(tooManyRace, {}, RETRY_AFTER);
    return streamEvents(c, listener);
  });
  routes.all('/rounds', () => methodNotAllowed('POST'));
  return routes;
}

/**
 * Returns the strategies of a race with their chapter. Returns undefined if the strategies belong
 * to several chapters.
 */
function fieldOf(found: Addressed[]): Field | undefined {
  const [chapter, another] = new Set(found.map((each) => each.chapter));
  if (!chapter || another) return undefined;
  return { chapter, strategies: [...new Set(found.map(({ strategy }) => strategy))] };
}

const tooManyRace = {
  ...busy,
  detail: 'Too many races wait for their turn. Try again.',
};
