import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { problemResponses } from '../../http/problem.ts';
import { invalidRequest } from '../../http/problems.ts';
import { fields, json, jsonBody } from '../../http/schemas.ts';
import { labBusy, labUnavailable, noSuchStrategy } from '../problems.ts';
import type { PlayState } from './play.ts';

/** The engine refuses longer schedules. */
const MOST_STEPS = 200;

const sessionsError = 'must be 2 or 3';

const playBody = fields({
  strategy: z.string({ error: 'must be the name of a strategy' }),
  situation: z.string({ error: 'must be the name of a situation' }).optional(),
  sessions: z.int(sessionsError).min(2, sessionsError).max(3, sessionsError).default(2),
  schedule: z
    .array(z.enum(['1', '2', '3', 't'], { error: 'must be 1, 2, 3 or t' }), {
      error: 'must be a list of steps such as ["1", "2"]',
    })
    .max(MOST_STEPS, `may have at most ${MOST_STEPS} steps`)
    .default([]),
});

export const play = createRoute({
  method: 'post',
  path: '/plays',
  hide: true,
  request: { body: jsonBody(playBody) },
  responses: {
    200: json('The state after the schedule.', z.custom<PlayState>()),
    ...problemResponses(invalidRequest, noSuchStrategy(''), labBusy, labUnavailable),
  },
});
