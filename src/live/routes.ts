import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { type Problem, problemResponses } from '../http/problem.ts';
import { onEveryRoute } from '../http/problems.ts';
import { idAnswer, idsText, idText } from '../http/schemas.ts';
import { jobAnswer } from '../jobs/routes.ts';
import { PAGE } from './queries.ts';

const jobIds = idsText(PAGE, 'Only these jobs: repeat it for each.');

/** What stands in the `data` of each event, by the event's name. */
const jobEvents = z
  .object({
    begin: z.object({}).meta({
      description: 'The full state begins: what you had counts no more once it has ended.',
    }),
    job: jobAnswer,
    end: z.object({}).meta({ description: 'You have the full state.' }),
    gone: z.object({ id: idAnswer }).meta({ description: 'There is no such job any more.' }),
  })
  .partial()
  .meta({ id: 'JobEvents', description: 'The JSON in `data` of each event, by its name.' });

export const tooManyJobs = {
  status: 400,
  code: 'too-many-jobs',
  title: 'Too many jobs to follow',
  detail: 'One stream does not tell so many jobs: ask by jobId, or by companyId for fewer.',
} as const satisfies Problem;

export const followJobs = createRoute({
  method: 'get',
  path: '/jobs/events',
  operationId: 'followJobs',
  tags: ['Jobs'],
  summary: 'Jobs as they change',
  description:
    'Server-sent events. `begin`, a `job` for each job there is, `end`: that is the full state. ' +
    'Then a `job` after each commit that changed one, from any server, and `gone` for one that was ' +
    'removed. Of several changes in short order only the last is certain to be told; what is told ' +
    'of a job never goes back in time. When something was missed the full state comes again, ' +
    'beginning with `begin`. A comment comes at least every 15 seconds.',
  request: {
    query: z.object({
      companyId: idText.optional().meta({ description: 'Only jobs of this company.' }),
      jobId: jobIds,
    }),
  },
  responses: {
    200: {
      description: 'A stream that ends when the server stops, or the token ends: come back then.',
      content: { 'text/event-stream': { schema: jobEvents } },
    },
    ...problemResponses(...onEveryRoute, tooManyJobs),
  },
});
