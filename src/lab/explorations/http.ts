import { z } from 'zod';
import { refuseOtherSites } from '../../http/edge/http.ts';
import { headOfEvents, streamEvents } from '../../http/event-stream.ts';
import { guardedBy, newRoutes } from '../../http/new-routes.ts';
import { problem, RETRY_AFTER } from '../../http/problem.ts';
import { busy, invalid, methodNotAllowed } from '../../http/problems.ts';
import { claimSettings } from '../chapters/claims/situations.ts';
import { noSuchStrategy } from '../syllabus/http.ts';
import { syllabus } from '../syllabus/syllabus.ts';
import { Explorations, type ExplorationsDeps } from './explorations.ts';

const settings = claimSettings.map(({ name }) => name);
const question = z.object({
  strategy: z.string('says which strategy is explored'),
  scenario: z.enum(settings, `is one of ${settings.join(', ')}`).default(claimSettings[0].name),
  sessions: z.enum(['2', '3'], 'is 2 or 3').default('2').transform(Number),
});

/** Explorations as streams of events: `queued`, `progress`, `done`, `failed`. */
export function explorationRoutes(deps: ExplorationsDeps, corsOrigins: readonly string[]) {
  const explorations = new Explorations(deps);
  const routes = newRoutes();
  // A GET begins the work, since a browser's EventSource knows no other method.
  routes.get('/explorations', guardedBy(refuseOtherSites(corsOrigins)), (c) => {
    const asked = question.safeParse(c.req.query());
    if (!asked.success) return invalid(asked.error, 'query');
    if (!syllabus.some(({ name }) => name === asked.data.strategy)) return problem(noSuchStrategy);
    if (c.req.method === 'HEAD') return headOfEvents(c);
    const listener = explorations.listen(asked.data);
    if (listener === 'full') return problem(tooManyAsk, {}, RETRY_AFTER);
    return streamEvents(c, listener);
  });
  routes.all('/explorations', () => methodNotAllowed('GET, HEAD'));
  return routes;
}

const tooManyAsk = {
  ...busy,
  detail: 'As many explorations wait for their turn as this server takes. Ask again.',
};
