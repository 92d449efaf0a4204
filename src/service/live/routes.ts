import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { answers } from '../claims/answers.ts';
import { companyNotFound } from '../companies/routes.ts';
import { type Problem, problemResponses } from '../http/problem.ts';
import { onEveryRoute } from '../http/problems.ts';
import { idAnswer, idsText, idText, instantAnswer, slotsAnswer } from '../http/schemas.ts';
import { jobAnswer } from '../jobs/routes.ts';
import { claimNewsKinds } from './claims.ts';
import { PAGE } from './queries.ts';

const jobIds = idsText(PAGE, 'Only these jobs. Repeat the parameter for each job.');

/** The `data` of each event, by the event's name. */
const jobEvents = z
  .object({
    begin: z.object({}).meta({
      description: 'The full state begins. Once it is complete, forget the earlier state.',
    }),
    job: jobAnswer,
    end: z.object({}).meta({ description: 'The full state is complete.' }),
    gone: z.object({ id: idAnswer }).meta({ description: 'This job no longer exists.' }),
  })
  .partial()
  .meta({ id: 'JobEvents', description: 'The JSON in `data` of each event, by its name.' });

export const tooManyJobs = {
  status: 400,
  code: 'too-many-jobs',
  title: 'Too many jobs to follow',
  detail: 'One stream cannot follow so many jobs. Use jobId or companyId to follow fewer jobs.',
} as const satisfies Problem;

const claimNews = z
  .object({
    kind: z.enum(claimNewsKinds).meta({
      description:
        '`held`: a claim of the full state. `ending`: the lease ends within a minute. The others ' +
        'are what has happened. An offer of the waitlist is `offered`, and then `accepted`, ' +
        '`declined` or `lapsed`.',
      example: 'claimed',
    }),
    at: instantAnswer.meta({ description: 'When this happened. For `held`, when it was claimed.' }),
    claim: z.object({
      id: idAnswer,
      jobId: idAnswer,
      recruiterId: idAnswer,
      expiresAt: instantAnswer.nullable(),
      offer: z
        .literal(true)
        .optional()
        .meta({ description: 'True for an offer that is not accepted yet.', example: undefined }),
    }),
    job: z
      .object({ id: idAnswer, role: z.string(), ...slotsAnswer })
      .meta({ description: 'The job after the event.' }),
  })
  .meta({ id: 'ClaimNews' });

const placeNews = z
  .object({
    jobId: idAnswer,
    recruiterId: idAnswer,
    place: z.int().min(1).nullable().meta({
      description: '1 for the next recruiter. Null if the recruiter does not wait any more.',
      example: 2,
    }),
  })
  .meta({ id: 'PlaceNews', description: "The recruiter's place in the line of a job." });

const claimEvents = z
  .object({ begin: z.object({}), claim: claimNews, place: placeNews, end: z.object({}) })
  .partial()
  .meta({ id: 'ClaimEvents', description: 'The JSON in `data` of each event, by its name.' });

export const followClaims = createRoute({
  method: 'get',
  path: '/me/events',
  operationId: 'followClaims',
  tags: ['Claims'],
  summary: "Follow a recruiter's own claims and places in line",
  description:
    'Server-sent events. The full state comes first: `begin`, one `claim` for each claim that the ' +
    'recruiter holds, one `place` for each line in which the recruiter waits, and `end`. After ' +
    'that, `claim` comes after each commit that changed a claim of the recruiter on any server, ' +
    'and about a minute before the end of a lease. `place` comes after each commit that changed ' +
    'the place of the recruiter. If a claim or a place changes several times quickly, only the ' +
    'last change is certain to come. If the server missed ' +
    'something, the full state comes again, from `begin`. A comment comes at least every 15 seconds.',
  request: {
    query: z.object({
      recruiterId: idText.optional().meta({
        description: 'Whose claims. Needed without the token of a recruiter.',
      }),
    }),
  },
  responses: {
    200: {
      description: 'A stream. It ends when the server stops or the token expires. Then reconnect.',
      content: { 'text/event-stream': { schema: claimEvents } },
    },
    ...problemResponses(...onEveryRoute, answers['no-such-recruiter']),
  },
});

export const followJobs = createRoute({
  method: 'get',
  path: '/jobs/events',
  operationId: 'followJobs',
  tags: ['Jobs'],
  summary: 'Follow jobs as they change',
  description:
    'Server-sent events. The full state comes first: `begin`, one `job` for each job, and ' +
    '`end`. After that, `job` comes after each commit that changed a job on any server, and ' +
    '`gone` comes after a job was removed. If a job changes several times quickly, only the ' +
    'last change is certain to come. The news about a job never goes back in time. If the ' +
    'server missed something, the full state comes again, from `begin`. A comment comes at ' +
    'least every 15 seconds.',
  request: {
    query: z.object({
      companyId: idText.optional().meta({ description: 'Only jobs of this company.' }),
      jobId: jobIds,
    }),
  },
  responses: {
    200: {
      description: 'A stream. It ends when the server stops or the token expires. Then reconnect.',
      content: { 'text/event-stream': { schema: jobEvents } },
    },
    ...problemResponses(...onEveryRoute, tooManyJobs, companyNotFound),
  },
});
