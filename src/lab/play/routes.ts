import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { problemResponses } from '../../http/problem.ts';
import { invalidRequest } from '../../http/problems.ts';
import { fields, json, jsonBody } from '../../http/schemas.ts';
import { claimSettings } from '../chapters/claims/situations.ts';
import { labBusy, labUnavailable } from '../problems.ts';
import { noSuchStrategy } from '../syllabus/http.ts';
import type { PlayState } from './play.ts';

/** An execution takes no more. */
const MOST_STEPS = 200;

const [lastSlot] = claimSettings;
const scenarioNames = claimSettings.map(({ name }) => name);
const sessionsError = 'must be 2 or 3';

const playBody = fields({
  strategy: z.string({ error: 'must be the name of a strategy' }),
  scenario: z
    .enum(scenarioNames, { error: `must be one of ${scenarioNames.join(', ')}` })
    .default(lastSlot.name),
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
    200: json('Where the schedule has come to.', z.custom<PlayState>()),
    ...problemResponses(invalidRequest, noSuchStrategy, labBusy, labUnavailable),
  },
});
