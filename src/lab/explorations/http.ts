import { z } from 'zod';
import { nameOf } from '../../service/http/auth/caller.ts';
import { refuseOtherSites } from '../../service/http/edge/http.ts';
import { headOfEvents, streamEvents } from '../../service/http/event-stream.ts';
import { guardedBy, newRoutes } from '../../service/http/new-routes.ts';
import { problem, RETRY_AFTER } from '../../service/http/problem.ts';
import { busy, invalid, methodNotAllowed } from '../../service/http/problems.ts';
import { parameters } from '../../service/http/schemas.ts';
import { sessionsIn } from '../chapter.ts';
import { findSituation, findStrategy } from '../chapters/index.ts';
import { noSuchSituation, noSuchStrategy } from '../problems.ts';
import { Explorations, type ExplorationsDeps } from './explorations.ts';

const question = parameters({
  strategy: z.string('says which strategy is explored'),
  situation: z.string().optional(),
  sessions: z.enum(['2', '3'], 'is 2 or 3').default('2').transform(Number),
  orders: z.enum(['counted', 'listed'], 'is counted or listed').default('counted'),
});

/**
 * Makes the route of explorations. The answers are streams of the events `queued`, `progress`,
 * `done`, `failed`.
 */
export function explorationRoutes(deps: ExplorationsDeps, corsOrigins: readonly string[]) {
  const explorations = new Explorations(deps);
  const routes = newRoutes();
  // A GET starts the work, since a browser's EventSource can send only GET.
  routes.get('/explorations', guardedBy(refuseOtherSites(corsOrigins)), (c) => {
    const asked = question.safeParse(c.req.query());
    if (!asked.success) return invalid(asked.error, 'query');
    const found = findStrategy(asked.data.strategy);
    if (typeof found === 'string') return problem(noSuchStrategy(found));
    const situation = findSituation(found, asked.data.situation);
    if (typeof situation === 'string') return problem(noSuchSituation(situation));
    if (c.req.method === 'HEAD') return headOfEvents(c);
    const sessions = sessionsIn(situation, asked.data.sessions);
    const caller = nameOf(c.get('caller'));
    const listsOrders = asked.data.orders === 'listed';
    const listener = explorations.listen({ ...found, situation, sessions }, caller, {
      listsOrders,
    });
    if (listener === 'full') return problem(tooManyAsk, {}, RETRY_AFTER);
    return streamEvents(c, listener);
  });
  routes.all('/explorations', () => methodNotAllowed('GET, HEAD'));
  return routes;
}

const tooManyAsk = {
  ...busy,
  detail: 'Too many explorations wait for their turn. Try again.',
};
