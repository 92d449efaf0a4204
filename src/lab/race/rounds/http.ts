import { z } from 'zod';
import { streamEvents } from '../../../http/event-stream.ts';
import { newRoutes } from '../../../http/new-routes.ts';
import { problem, RETRY_AFTER } from '../../../http/problem.ts';
import { busy, invalid, methodNotAllowed } from '../../../http/problems.ts';
import { strategies } from '../../chapters/claims/strategies/index.ts';
import { noSuchStrategy } from '../../syllabus/http.ts';
import { RaceLine, type RaceLineDeps } from './race-line.ts';

const from1To = (most: number) => `is a whole number from 1 to ${most}`;
const upTo = (most: number) => z.int(from1To(most)).min(1, from1To(most)).max(most, from1To(most));

/** A hosted lab is asked by anybody, so all of it is bounded. */
const race = z.object({
  strategies: z
    .array(z.string(), 'is a list of one strategy or two')
    .min(1, 'is a list of one strategy or two')
    .max(2, 'is a list of one strategy or two'),
  recruiters: upTo(50).default(8),
  capacity: upTo(50).default(4),
  rounds: upTo(20).default(5),
});

/** Races run here, as streams of events: `queued`, `round`, `done`, `failed`. */
export function roundRoutes(deps: RaceLineDeps) {
  const races = new RaceLine(deps);
  const routes = newRoutes();
  routes.post('/rounds', async (c) => {
    const asked = race.safeParse(await c.req.json().catch(() => undefined));
    if (!asked.success) return invalid(asked.error, 'body');
    const chosen = asked.data.strategies.map((name) => strategies.find((s) => s.name === name));
    if (!chosen.every((strategy) => strategy !== undefined)) return problem(noSuchStrategy);
    const listener = races.listen(chosen, asked.data);
    if (listener === 'full') return problem(tooManyRace, {}, RETRY_AFTER);
    return streamEvents(c, listener);
  });
  routes.all('/rounds', () => methodNotAllowed('POST'));
  return routes;
}

const tooManyRace = {
  ...busy,
  detail: 'As many races wait for their turn as this server takes. Ask again.',
};
