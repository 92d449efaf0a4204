import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { problemResponses } from '../../http/problem.ts';
import { invalidRequest } from '../../http/problems.ts';
import { fields, json, jsonBody } from '../../http/schemas.ts';
import { CHOICE } from '../explore/choices.ts';
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
    .array(z.string().regex(CHOICE, 'must be a choice such as 1, t or k1'), {
      error: 'must be a list of choices such as ["1", "2"]',
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
