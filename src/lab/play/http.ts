import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { CHOICE } from '../../explorer/choice.ts';
import { newRoutes } from '../../service/http/new-routes.ts';
import { problem, problemResponses } from '../../service/http/problem.ts';
import { invalidRequest } from '../../service/http/problems.ts';
import { fields, json, jsonBody } from '../../service/http/schemas.ts';
import { findSituation, findStrategy } from '../chapters/index.ts';
import { labBusy, labUnavailable, noSuchSituation, noSuchStrategy, onStage } from '../problems.ts';
import type { Stages } from '../stages/stages.ts';
import { KnownPlays } from './known-plays.ts';
import type { PlayState } from './play.ts';

/**
 * Makes the route on which a person plays a schedule, step by step. The server stores no state of a
 * play. Each request plays its whole schedule from the beginning. To undo a step, a page asks for a
 * shorter schedule.
 */
export function playRoutes(stages: Stages) {
  const plays = new KnownPlays(stages);
  return newRoutes().openapi(playRoute, async (c) => {
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

/** The maximum length of a schedule. The explorer refuses longer schedules. */
const MOST_STEPS = 200;

const sessionsError = 'must be 2 or 3';

const playBody = fields({
  strategy: z.string({ error: 'must be the name of a strategy' }),
  situation: z.string({ error: 'must be the name of a situation' }).optional(),
  sessions: z.int(sessionsError).min(2, sessionsError).max(3, sessionsError).default(2),
  schedule: z
    .array(z.string().regex(CHOICE, 'must be a choice such as 1, t or k1'), {
      error: 'must be a list of choices such as ["1", "2"]',
    })
    .max(MOST_STEPS, `may have at most ${MOST_STEPS} steps`)
    .default([]),
});

const playRoute = createRoute({
  method: 'post',
  path: '/plays',
  hide: true,
  request: { body: jsonBody(playBody) },
  responses: {
    200: json('The state after the schedule.', z.custom<PlayState>()),
    ...problemResponses(invalidRequest, noSuchStrategy(''), labBusy, labUnavailable),
  },
});
