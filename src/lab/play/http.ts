import { newRoutes } from '../../http/new-routes.ts';
import { problem } from '../../http/problem.ts';
import { invalidRequest } from '../../http/problems.ts';
import { findSituation, findStrategy } from '../chapters/index.ts';
import { noSuchSituation, noSuchStrategy, onStage } from '../problems.ts';
import type { Stages } from '../stages/stages.ts';
import { KnownPlays } from './known-plays.ts';
import * as routes from './routes.ts';

/**
 * Schedules that a person makes, step by step. The server stores no game. Each request plays its
 * whole schedule from the beginning. To undo a step, a page asks for a shorter schedule.
 */
export function playRoutes(stages: Stages) {
  const plays = new KnownPlays(stages);
  return newRoutes().openapi(routes.play, async (c) => {
    const { sessions, schedule, ...asked } = c.req.valid('json');
    const found = findStrategy(asked.strategy);
    if (typeof found === 'string') return problem(noSuchStrategy(found));
    const situation = findSituation(found, asked.situation);
    if (typeof situation === 'string') return problem(noSuchSituation(situation));
    const request = { ...found, situation, sessions, schedule };
    const given = await onStage(() => plays.play(request));
    if (!('done' in given)) return given;
    const state = given.done;
    if (typeof state !== 'string') return c.json(state, 200);
    return problem({ ...invalidRequest, detail: state });
  });
}

export type PlayRoutes = ReturnType<typeof playRoutes>;
