import { newRoutes } from '../../http/new-routes.ts';
import { problem } from '../../http/problem.ts';
import { invalidRequest } from '../../http/problems.ts';
import { settingNamed } from '../chapters/claims/situations.ts';
import { strategies } from '../chapters/claims/strategies/index.ts';
import { onStage } from '../problems.ts';
import type { Stages } from '../stages/stages.ts';
import { noSuchStrategy } from '../syllabus/http.ts';
import { play } from './play.ts';
import * as routes from './routes.ts';

/**
 * Schedules that a person makes, step by step. Nothing is kept here: each time the whole schedule is
 * played from its beginning, so that to undo a step is to ask for a shorter one.
 */
export function playRoutes(stages: Stages) {
  return newRoutes().openapi(routes.play, async (c) => {
    const { scenario, sessions, schedule, ...asked } = c.req.valid('json');
    const strategy = strategies.find(({ name }) => name === asked.strategy);
    if (!strategy) return problem(noSuchStrategy);
    const setting = settingNamed(scenario);
    const given = await onStage(stages, (stage) =>
      play(stage, { strategy, setting, sessions, schedule }),
    );
    if (!('done' in given)) return given;
    const state = given.done;
    if (typeof state !== 'string') return c.json(state, 200);
    return problem({ ...invalidRequest, detail: state });
  });
}

export type PlayRoutes = ReturnType<typeof playRoutes>;
